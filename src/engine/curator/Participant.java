// Somebody who wants a thing by a recipe of Apache Curator's: says `has it` when it has it, and
// gives it back when the file STOP is there.
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;

public class Participant {
    private static void stay(String stop) throws Exception {
        System.out.println("has it");
        while (!Files.exists(Path.of(stop))) Thread.sleep(20);
    }

    public static void main(String[] args) throws Exception {
        String servers = args[0], recipe = args[1], path = args[2], stop = args[3];
        CuratorFramework client = CuratorFrameworkFactory.newClient(
            servers, 10000, 10000, new ExponentialBackoffRetry(100, 10));
        client.start();
        switch (recipe) {
            case "leader": {
                LeaderLatch latch = new LeaderLatch(client, path, "curator");
                latch.start();
                latch.await();
                stay(stop);
                latch.close();
                break;
            }
            case "mutex": {
                InterProcessMutex mutex = new InterProcessMutex(client, path);
                mutex.acquire();
                stay(stop);
                mutex.release();
                break;
            }
            case "write": {
                InterProcessMutex mutex = new InterProcessReadWriteLock(client, path).writeLock();
                mutex.acquire();
                stay(stop);
                mutex.release();
                break;
            }
            case "semaphore": {
                InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, 1);
                Lease lease = semaphore.acquire();
                stay(stop);
                semaphore.returnLease(lease);
                break;
            }
            default:
                throw new IllegalArgumentException(recipe);
        }
        client.close();
        System.out.println("left");
    }
}
