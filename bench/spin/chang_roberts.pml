/* Chang and Roberts on a ring of N nodes, ids ascending along it; every node may start once.
 * One step is one message handled, or one start: the atomicity of bench/models/chang_roberts.h. */
#ifndef N
#define N 8
#endif
mtype = { election, elected };

chan ring[N] = [N] of { mtype, byte };  /* ring[i] leads to node i */
bool started[N], participant[N];
byte leader[N];
byte leaders;

#define NEXT ((me + 1) % N)
#define ID (me + 1)

active [N] proctype node() {
    byte me = _pid;
    byte key;
end:
    do
    :: d_step { !started[me] ->
           started[me] = true;
           if
           :: !participant[me] && leader[me] == 0 -> participant[me] = true; ring[NEXT]!election(ID)
           :: else
           fi
       }
    :: d_step { ring[me]?[election, key] -> ring[me]?election(key);
           if
           :: key > ID -> participant[me] = true; ring[NEXT]!election(key)
           :: key < ID && !participant[me] -> participant[me] = true; ring[NEXT]!election(ID)
           :: key == ID -> participant[me] = false; leader[me] = ID; leaders++;
                           assert(leaders == 1); ring[NEXT]!elected(ID)
           :: else
           fi;
           key = 0
       }
    :: d_step { ring[me]?[elected, key] -> ring[me]?elected(key);
           if
           :: key != ID -> participant[me] = false; leader[me] = key; ring[NEXT]!elected(key)
           :: else
           fi;
           key = 0
       }
    od
}
