/* Ricart and Agrawala, as printed: N nodes that enter ROUNDS times each; links keep their order.
 * One step is one message handled, or one wish: the atomicity of bench/models/ricart_agrawala.h. */
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
mtype = { request, ok };
#define RELEASED 0
#define WANTED 1
#define HELD 2

chan link[N * N] = [3] of { mtype, byte };  /* link[a * N + b] leads from a to b */
byte left[N] = ROUNDS;
byte state[N], stamp[N], clock[N];
byte missing[N];   /* bits: whose permission is missing */
byte deferred[N];  /* bits: who waits for mine */
byte inside;

#define FROM(a) link[(a) * N + me]
#define TO(b) link[me * N + (b)]
#define ALL_BUT_ME (((1 << N) - 1) & ~(1 << me))

inline tell_all(what, number) {
    other = 0;
    do
    :: other < N ->
       if
       :: other != me -> TO(other)!what(number)
       :: else
       fi;
       other++
    :: else -> break
    od;
    other = 0
}

active [N] proctype node() {
    byte me = _pid;
    byte other, number;
end:
    do
    :: d_step { left[me] > 0 && state[me] == RELEASED ->
           left[me]--; clock[me]++; stamp[me] = clock[me]; state[me] = WANTED;
           missing[me] = ALL_BUT_ME; tell_all(request, stamp[me])
       }
    :: d_step { state[me] == HELD ->
           state[me] = RELEASED; inside--;
           do
           :: other < N ->
              if
              :: deferred[me] & (1 << other) -> TO(other)!ok(0)
              :: else
              fi;
              other++
           :: else -> break
           od;
           deferred[me] = 0; stamp[me] = 0; other = 0
       }
#define RECEIVE(from) \
    :: d_step { from != me && from < N && FROM(from)?[request, number] -> FROM(from)?request(number); \
           clock[me] = (clock[me] > number -> clock[me] : number); \
           if \
           :: state[me] == HELD || (state[me] == WANTED && \
                  (stamp[me] < number || (stamp[me] == number && me < from))) -> \
                  deferred[me] = deferred[me] | (1 << from) \
           :: else -> TO(from)!ok(0) \
           fi; \
           number = 0 \
       } \
    :: d_step { from != me && from < N && FROM(from)?[ok, number] -> FROM(from)?ok(number); \
           missing[me] = missing[me] & ~(1 << from); \
           if \
           :: missing[me] == 0 -> state[me] = HELD; inside++; assert(inside == 1) \
           :: else \
           fi; \
           number = 0 \
       }
    RECEIVE(0)
    RECEIVE(1)
    RECEIVE(2)
#if N > 3
    RECEIVE(3)
#endif
    od
}
