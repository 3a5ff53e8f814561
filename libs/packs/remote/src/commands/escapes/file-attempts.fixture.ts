import { callSystem, perl, type Attempt } from './attempt.fixture.js';

const PRIVATE_MOUNTS = 'it would change the mounts of the spec';

/** Attempts on files. */
export const fileAttempts: readonly Attempt[] = [
  { name: 'reads a file of another job', script: 'cat "$OTHER/secret.txt"', control: 'everyone' },
  {
    name: 'reads a file of another job through the folder above',
    script: 'cat ../../../*/phase-1/workspace/secret.txt',
    control: 'everyone',
  },
  {
    name: 'writes into a file of another job',
    script: 'echo changed > "$OTHER/secret.txt" && echo ESCAPED',
    control: 'everyone',
  },
  { name: 'reads the private /tmp of another job', script: 'cat "$OTHER/../tmp/secret.txt"', control: 'everyone' },
  { name: 'reads the /tmp of the machine', script: 'cat "$MACHINE_TMP"', control: 'everyone' },
  { name: 'reads a file of the service', script: 'cat "$SERVICE/.env"', control: 'everyone' },
  {
    name: 'reads a file of the service through a symbolic link',
    script: 'ln -s "$SERVICE" way; cat way/.env',
    control: 'everyone',
  },
  {
    name: 'lets the service record the target of a symbolic link',
    script:
      'ln -s "$SERVICE/.env" a.txt; mkdir d; ln -s "$SERVICE" d/e; ln -s ../../../.. up; ln -s /proc/self/environ p',
    control: { none: 'the service reads the folder, not the command' },
  },
  {
    name: 'works in a folder outside, through a symbolic link in a cache',
    script: 'mkdir -p node_modules; ln -s "$SERVICE" node_modules/way',
    then: { script: 'cat .env ../.env; touch x && echo ESCAPED', cwd: 'node_modules/way/made-outside' },
    control: { none: 'the service opens the working directory, not the command' },
  },
  {
    name: 'links a file of another job into its workspace',
    script: 'ln "$OTHER/secret.txt" hard.txt && cat hard.txt',
    control: 'everyone',
  },
  {
    name: 'links a program of the system into its workspace',
    script: 'ln "$TOOLCHAIN/program" program && echo ESCAPED',
    control: 'everyone',
  },
  {
    name: 'changes a program of the system',
    script: 'for f in "$TOOLCHAIN/program" /usr/bin/env; do true >> "$f" && echo ESCAPED; done',
    control: 'everyone',
  },
  {
    name: 'replaces a program of the system',
    script: 'echo x > new; mv new "$TOOLCHAIN/program" && echo ESCAPED; rm "$TOOLCHAIN/program" && echo ESCAPED',
    control: 'everyone',
  },
  {
    name: 'gets another user from a program with the setuid bit',
    script: '"$SETUID_ID" | grep -q "euid=0" && echo ESCAPED',
    control: 'user',
  },
  {
    name: 'gets another user from a program that it makes',
    script:
      'cp "$(command -v id)" mine && chown 0 mine && chmod 4755 mine && setpriv --reuid 1 --clear-groups ./mine && echo ESCAPED',
    control: 'root',
  },
  {
    name: 'mounts a file system',
    script: 'mkdir m; mount -t tmpfs none m && echo ESCAPED; umount m; mount -t proc none m && echo ESCAPED; umount m',
    control: 'root',
  },
  {
    name: 'mounts over a folder of the system',
    script: 'mkdir m; mount --bind m /usr && echo ESCAPED; mount -o remount,rw,bind /usr && echo ESCAPED',
    control: { none: PRIVATE_MOUNTS },
  },
  {
    name: 'removes mounts that hide parts of the machine',
    script: 'for f in /proc/sys /proc/sysrq-trigger /tmp /workspace /usr; do umount -l $f && echo ESCAPED; done',
    control: { none: PRIVATE_MOUNTS },
  },
  { name: 'changes its root folder', script: perl('chroot("/tmp") and print "ESCAPED\\n"'), control: 'root' },
  {
    name: 'opens a file by its number on the disk',
    script: perl(
      // A handle of the root folder: 8 bytes of header, 128 bytes of room.
      `my $h = pack("I i a128", 128, 0, ""); my $m = pack("i", 0); my $p = "/\\0";` +
        `${callSystem([303, 264], '-100, $p, $h, $m, 0')} == 0 or die "no handle: $!\\n";` +
        `open(my $d, "<", ".") or die; ${callSystem([304, 265], 'fileno($d), $h, 0')} >= 0 and print "ESCAPED\\n"`,
    ),
    control: 'root',
  },
  {
    name: 'makes a device',
    script: 'mknod disk b 8 0 && echo ESCAPED; mknod memory c 1 1 && echo ESCAPED; rm -f disk memory',
    control: 'root',
  },
  {
    name: 'finds a device of the machine',
    script: 'for d in kmsg mem port kvm fuse vda sda loop0 console; do [ -e /dev/$d ] && echo ESCAPED; done',
    control: 'everyone',
  },
  { name: 'finds the settings of devices', script: '[ -e /sys/kernel ] && echo ESCAPED', control: 'everyone' },
  {
    name: 'opens settings of the kernel for writing',
    // Opened, never written.
    script:
      'for f in sys/kernel/core_pattern sys/kernel/hostname sys/vm/drop_caches sysrq-trigger; do true >> /proc/$f && echo ESCAPED; done',
    control: 'root',
  },
  {
    name: 'leaves its control group',
    script:
      'for f in $(find /sys/fs/cgroup -maxdepth 3 -name cgroup.procs | head -3); do true >> $f && echo ESCAPED; done',
    control: 'root',
  },
];
