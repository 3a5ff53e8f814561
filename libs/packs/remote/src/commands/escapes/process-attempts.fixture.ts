import { callSystem, perl, type Attempt } from './attempt.fixture.js';

/** Attempts on other processes. */
export const processAttempts: readonly Attempt[] = [
  { name: 'prints the environment of the service', script: 'env', control: 'everyone' },
  {
    name: 'reads the environment of other processes',
    script: 'cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
    control: 'everyone',
  },
  {
    name: 'reads the arguments of other processes',
    script: 'cat /proc/[0-9]*/cmdline | tr "\\0" "\\n"',
    control: 'everyone',
  },
  {
    name: 'reads a file through the folders of other processes',
    script: 'cat /proc/[0-9]*/root"$SERVICE"/.env /proc/[0-9]*/cwd/.env',
    control: 'everyone',
  },
  {
    name: 'reads a file that the service has open',
    script: 'for n in 3 4 5 6 7 8 9 10 11 12 13 40; do cat /proc/self/fd/$n; done < /dev/null',
    control: 'everyone',
  },
  {
    name: 'kills a process of the service',
    script: 'kill -KILL "$VICTIM_PID" && echo ESCAPED',
    control: 'everyone',
    harms: 'victim-process',
  },
  {
    name: 'kills all processes of its user',
    script: 'kill -KILL -1',
    control: { none: 'it would end the spec' },
    isKilled: true,
  },
  {
    name: 'traces a process of the service',
    script: perl(`${callSystem([101, 117], '16, $ENV{VICTIM_PID} + 0, 0, 0')} == 0 and print "ESCAPED\\n"`),
    control: 'root',
  },
  {
    name: 'opens a handle of a process of the service',
    script: perl(`${callSystem([434, 434], '$ENV{VICTIM_PID} + 0, 0')} >= 0 and print "ESCAPED\\n"`),
    control: 'everyone',
  },
  {
    name: 'enters the namespaces of a process of the service',
    script: 'nsenter --target "$VICTIM_PID" --net true && echo ESCAPED; nsenter --target 1 --mount cat "$SERVICE/.env"',
    control: 'root',
  },
  {
    name: 'makes a user namespace',
    script: 'unshare --user --map-root-user true && echo ESCAPED',
    control: 'everyone',
  },
  {
    name: 'makes a mount namespace',
    script: 'unshare --mount true && echo ESCAPED',
    control: 'root',
  },
  {
    name: 'has capabilities, or gets them from a program',
    script: `grep -E '^Cap(Inh|Prm|Eff|Bnd|Amb):.*[1-9a-f]' /proc/self/status && echo ESCAPED`,
    control: 'root',
  },
  {
    name: 'becomes another user',
    script: `setpriv --reuid 1 --regid 1 --clear-groups true && echo ESCAPED; setpriv --reuid 0 true && echo ESCAPED`,
    control: 'root',
  },
  {
    name: 'leaves processes behind',
    script: 'setsid sleep "$MARK" >/dev/null 2>&1 </dev/null & sleep 0.2',
    control: 'everyone',
    harms: 'left-processes',
  },
  {
    name: 'survives its time limit',
    script: `trap '' TERM HUP INT; (trap '' TERM HUP; setsid sh -c 'trap "" TERM HUP; sleep "$MARK"' & ) >/dev/null 2>&1; sleep "$MARK"`,
    control: 'everyone',
    harms: 'left-processes',
    stoppedBy: 'time',
    settings: { timeoutMs: 1_500 },
  },
  {
    name: 'stops its own supervisor, to survive its time limit',
    script: `kill -STOP 1; kill -KILL 1; kill -STOP $PPID; sleep "$MARK"`,
    control: { none: 'it would stop the spec' },
    stoppedBy: 'time',
    settings: { timeoutMs: 1_500 },
  },
  {
    name: 'reads memory that the service shares by a number',
    script: perl(
      'my $i = shmget($ENV{SHARED_KEY} + 0, 64, 0); my $b = ""; defined $i and shmread($i, $b, 0, 64) and print $b',
    ),
    control: 'everyone',
  },
];

/** Attempts to use parts of the kernel that no command needs. */
export const kernelAttempts: readonly Attempt[] = [
  {
    name: 'finds a key of the service in a keyring',
    script: perl(
      // KEYCTL_SEARCH in the keyring of the user, then KEYCTL_READ.
      `my $t = "user\\0"; my $n = "phaseline-victim\\0"; my $k = ${callSystem([250, 219], '10, -4, $t, $n, 0')};` +
        `$k >= 0 or die "no key: $!\\n"; my $b = "\\0" x 64; ${callSystem([250, 219], '11, $k, $b, 64')}; print $b`,
    ),
    control: 'everyone',
  },
  {
    name: 'uses io_uring',
    script: perl(`my $p = "\\0" x 120; ${callSystem([425, 425], '1, $p')} >= 0 and print "ESCAPED\\n"`),
    control: 'everyone',
  },
  {
    name: 'uses userfaultfd',
    script: perl(`${callSystem([323, 282], '1')} >= 0 and print "ESCAPED\\n"`),
    control: 'everyone',
  },
  {
    name: 'loads a program for the kernel',
    // BPF_MAP_CREATE of an array with one entry.
    script: perl(
      `my $a = pack("I5", 2, 4, 4, 1, 0) . "\\0" x 100; ${callSystem([321, 280], '0, $a, 72')} >= 0 and print "ESCAPED\\n"`,
    ),
    control: 'root',
  },
  {
    name: 'measures with performance counters',
    // PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, without the kernel.
    script: perl(
      `my $a = pack("I I Q Q Q Q Q", 1, 64, 0, 0, 0, 0, 0x60); ${callSystem([298, 241], '$a, 0, -1, -1, 0')} >= 0 and print "ESCAPED\\n"`,
    ),
    control: 'root',
  },
  {
    name: 'reads the messages of the kernel',
    script: perl(`my $b = "\\0" x 4096; ${callSystem([103, 116], '3, $b, 4096')} >= 0 and print "ESCAPED\\n"`),
    control: 'root',
  },
  {
    name: 'prints codes that change a terminal',
    script: `printf '\\033]0;title\\007\\033[2J\\302\\23331m\\n'`,
    control: { none: 'the output is data; what shows it makes the codes harmless' },
    records: '\u001b]0;title\u0007\u001b[2J\u009b31m',
  },
  {
    name: 'types into a terminal',
    // TIOCSTI on a terminal that `script` makes.
    script: `script -qec "perl -e 'ioctl(STDIN, 0x5412, \\"x\\") and print qq(ESCAPED\\n)'" /dev/null </dev/null; [ -w /dev/tty ] && true < /dev/tty && echo ESCAPED`,
    control: { none: 'kernels since 6.2 can forbid it, so it succeeds only on some machines' },
  },
  {
    name: 'leaves a memory image when it crashes',
    // With the limit 1, the kernel also gives no image to a program of the machine that collects them.
    script: `awk '/^Max core file size/ { if ($5 != 1 || $6 != 1) print "ESCAPED" }' /proc/self/limits`,
    control: 'everyone',
  },
];
