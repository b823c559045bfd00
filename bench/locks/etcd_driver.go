// N clients of etcd that lock and unlock with its own recipe, each on a connection and under a
// lease of its own with one operation outstanding: the counterpart of driver.cc.
//
//	etcd_driver [--cacert FILE --cert FILE --key FILE] ENDPOINTS CLIENTS SECONDS one-each | one-for-all
package main

import (
	"context"
	"crypto/tls"
	"flag"
	"fmt"
	"log"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/clientv3"
	"go.etcd.io/etcd/clientv3/concurrency"
	"go.etcd.io/etcd/pkg/transport"
)

const warmUp = time.Second

// How long each pair of one client took, without those of the warm-up.
func lockAndUnlock(config clientv3.Config, name string, ready, begin *sync.WaitGroup,
	counted time.Duration) []time.Duration {
	client, err := clientv3.New(config)
	if err != nil {
		log.Fatal(err)
	}
	session, err := concurrency.NewSession(client, concurrency.WithTTL(60))
	if err != nil {
		log.Fatal(err)
	}
	mutex := concurrency.NewMutex(session, name)
	ready.Done()
	begin.Wait()
	start := time.Now()
	var pairs []time.Duration
	for time.Since(start) < warmUp+counted {
		before := time.Now()
		if err := mutex.Lock(context.Background()); err != nil {
			log.Fatal(err)
		}
		if err := mutex.Unlock(context.Background()); err != nil {
			log.Fatal(err)
		}
		if before.Sub(start) > warmUp {
			pairs = append(pairs, time.Since(before))
		}
	}
	return pairs
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// Nothing if no certificates are named: then it is plaintext.
func tlsOf(files transport.TLSInfo) *tls.Config {
	if files.Empty() {
		return nil
	}
	config, err := files.ClientConfig()
	if err != nil {
		log.Fatal(err)
	}
	return config
}

func main() {
	var files transport.TLSInfo
	flag.StringVar(&files.TrustedCAFile, "cacert", "", "whom to believe")
	flag.StringVar(&files.CertFile, "cert", "", "who we are")
	flag.StringVar(&files.KeyFile, "key", "", "and its key")
	flag.Parse()
	words := flag.Args()
	if len(words) != 4 {
		log.Fatal("[OPTION...] ENDPOINTS CLIENTS SECONDS WHICH")
	}
	config := clientv3.Config{Endpoints: strings.Split(words[0], ","), DialTimeout: time.Minute,
		TLS: tlsOf(files)}
	clients, seconds := number(words[1]), number(words[2])
	var ready, begin, done sync.WaitGroup
	ready.Add(clients)
	begin.Add(1)
	done.Add(clients)
	each := make([][]time.Duration, clients)
	for at := range each {
		name := fmt.Sprintf("/lock-%d/", at)
		if words[3] == "one-for-all" {
			name = "/lock/"
		}
		go func(at int) {
			defer done.Done()
			counted := time.Duration(seconds) * time.Second
			each[at] = lockAndUnlock(config, name, &ready, &begin, counted)
		}(at)
	}
	ready.Wait()
	begin.Done()
	done.Wait()
	var pairs []time.Duration
	for _, some := range each {
		pairs = append(pairs, some...)
	}
	if len(pairs) == 0 {
		log.Fatal("not one pair")
	}
	sort.Slice(pairs, func(a, b int) bool { return pairs[a] < pairs[b] })
	at := func(share float64) int64 {
		return pairs[int(share*float64(len(pairs)-1))].Microseconds()
	}
	fmt.Printf("etcd %d %d %d %d\n", clients, len(pairs)/seconds, at(0.5), at(0.99))
}
