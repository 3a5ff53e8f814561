import { perl, type Attempt } from './attempt.fixture.js';

const MEBIBYTE = 1024 * 1024;
const disk = { maxDiskBytes: 32 * MEBIBYTE, maxMemoryBytes: 512 * MEBIBYTE };

/** Attempts to use more than the limits. They wait until a watcher has seen it, for HOLD seconds. All of them end by themselves, so that a sandbox that fails does not take the machine down. */
export const limitAttempts: readonly Attempt[] = [
  {
    name: 'starts processes without end',
    script: 'i=0; while [ $i -lt 400 ]; do sleep 10 & i=$((i+1)); done; sleep "$HOLD"; echo ESCAPED',
    control: 'everyone',
    stoppedBy: 'processes',
    settings: { maxProcesses: 10 },
  },
  {
    name: 'starts processes that start processes',
    // Each of 8 starts 64, one after the other has ended its own start.
    script:
      'for a in 1 2 3 4 5 6 7 8; do (for b in 1 2 3 4 5 6 7 8; do (for c in 1 2 3 4 5 6 7 8; do setsid sleep 10 & done; sleep 10) & done; sleep 10) & done; sleep "$HOLD"; echo ESCAPED',
    control: 'everyone',
    stoppedBy: 'processes',
    settings: { maxProcesses: 10 },
  },
  {
    name: 'takes more memory than allowed',
    script: perl('my $x = "x" x (700 << 20); sleep $ENV{HOLD}; print "ESCAPED\\n"'),
    control: 'everyone',
    stoppedBy: 'memory',
    settings: { maxMemoryBytes: 256 * MEBIBYTE },
  },
  {
    name: 'takes more memory than allowed, in several processes',
    script: `for i in 1 2 3 4; do ${perl('my $x = "x" x (100 << 20); sleep $ENV{HOLD} + 1')} & done; sleep "$HOLD"; echo ESCAPED`,
    control: 'everyone',
    stoppedBy: 'memory',
    settings: { maxMemoryBytes: 256 * MEBIBYTE },
  },
  {
    name: 'fills memory through a file system',
    script: 'head -c 200m /dev/zero > /dev/shm/escape.$$ && echo ESCAPED; rm -f /dev/shm/escape.$$',
    control: 'everyone',
    settings: { maxMemoryBytes: 1024 * MEBIBYTE },
  },
  {
    name: 'fills the disk with files in its workspace',
    script: 'for i in 1 2 3 4 5 6 7 8 9 10; do head -c 8m /dev/zero > f$i; done; sleep "$HOLD"; rm f*; echo ESCAPED',
    control: 'everyone',
    stoppedBy: 'disk',
    settings: disk,
  },
  {
    name: 'fills the disk with files in /tmp',
    script:
      't=$(mktemp -d); for i in 1 2 3 4 5 6 7 8 9 10; do head -c 8m /dev/zero > $t/f$i; done; sleep "$HOLD"; rm -r $t; echo ESCAPED',
    control: 'everyone',
    stoppedBy: 'disk',
    settings: disk,
  },
  {
    name: 'fills the disk with empty files',
    script: perl(
      'mkdir "many"; for my $i (1 .. 12000) { open(my $f, ">", "many/$i") or die "$!\\n" } sleep 6 * $ENV{HOLD}; system("rm -r many"); print "ESCAPED\\n"',
    ),
    control: 'everyone',
    stoppedBy: 'disk',
    settings: disk,
  },
  {
    name: 'fills the disk with files that have no name any more',
    script: perl(
      'my @all; for my $i (1 .. 10) { open(my $f, ">", "f$i") or die; unlink "f$i"; print $f "x" x (8 << 20); $f->flush; push @all, $f } sleep $ENV{HOLD}; print "ESCAPED\\n"',
      '-MIO::Handle',
    ),
    control: 'everyone',
    stoppedBy: 'disk',
    settings: disk,
  },
  {
    name: 'writes a file that is too large',
    script: perl('open(my $f, ">", "big") or die; truncate($f, 3 << 30) and print "ESCAPED\\n"; unlink "big"'),
    control: 'everyone',
    isKilled: true,
  },
];
