import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, chown } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { buildProgramEnvironment, startProgram } from '@phaseline/basics/processes';
import type { Launch } from './sandbox-settings.js';

/** User id of commands whose processes the kernel must limit: it limits none of root. */
const UNPRIVILEGED_USER = 65534;
/** Numbers of system calls that differ between processors: unshare and mount. */
const CALLS: Readonly<Record<string, readonly [unshare: number, mount: number]>> = { x64: [272, 165], arm64: [97, 40] };

/** Programs that give folders to another user without a change on the disk. */
export interface UserTools {
  readonly unshare: string;
  readonly setpriv: string;
  readonly perl: string;
}

/**
 * Perl code that shows folders to another user in a mount namespace of its own. Arguments: the user, folders that it gets, `--`, folders
 * that it only reaches, `--`, and the command to run.
 *
 * A folder that it gets is mounted with mapped ids: what root owns on the disk belongs to the user there, and what the user writes
 * belongs to root on the disk. Where the file system cannot do that, files that the user does not own yet are given to it. A folder above
 * that only root may pass is covered by an empty one, in which the folders are mounted again.
 */
const SHOW_FOLDERS = `
my $user = shift;
my (@given, @reached);
while ((my $one = shift) ne "--") { push @given, $one }
while ((my $one = shift) ne "--") { push @reached, $one }
pipe(my $wait, my $go) or die;
my $child = fork() // die;
if ($child == 0) { close $wait; syscall(UNSHARE, 0x10000000); syswrite($go, "."); sleep 10; exit }
close $go; sysread($wait, my $byte, 1);
for my $kind ("uid_map", "gid_map") { open(my $map, ">", "/proc/$child/$kind") or next; syswrite($map, "0 $user 1\\n") }
open(my $namespace, "<", "/proc/$child/ns/user") or die "no namespace: $!\\n";
my $empty = "\\0";
my %mounts;
for my $path (@given, @reached) {
  my $name = "$path\\0";
  my $tree = syscall(428, -100, $name, 0x88001);
  die "cannot mount $path: $!\\n" if $tree < 0;
  $mounts{$path} = $tree;
}
for my $path (@given) {
  my $attributes = pack("Q4", 0x100000, 0, 0, fileno($namespace));
  next if syscall(442, $mounts{$path}, $empty, 0x1000, $attributes, 32) == 0;
  system("/usr/bin/find", $path, "!", "-uid", $user, "-exec", "/bin/chown", "-h", "$user:$user", "{}", "+") == 0 or die "cannot give $path\\n";
}
kill "KILL", $child; waitpid($child, 0);
my %covered;
for my $path (@given, @reached) {
  my $above = "";
  for my $part (split m{/}, $path =~ s{^/|/[^/]*$}{}gr) {
    $above .= "/$part";
    last if $covered{$above};
    my @found = stat($above);
    next if $found[2] & 1;
    $covered{$above} = 1;
    my ($type, $name, $options) = ("tmpfs\\0", "$above\\0", "mode=711\\0");
    syscall(MOUNT, $type, $name, $type, 6, $options) == 0 or die "cannot cover $above: $!\\n";
    last;
  }
}
for my $path (@given, @reached) {
  my $above = "";
  for my $part (split m{/}, $path =~ s{^/}{}r) { $above .= "/$part"; mkdir($above, 0711) unless -e $above }
  my $name = "$path\\0";
  syscall(429, $mounts{$path}, $empty, -100, $name, 4) == 0 or die "cannot show $path: $!\\n";
}
exec {$ARGV[0]} @ARGV or die "$ARGV[0]: $!\\n";
`;

/**
 * Returns the user as whom commands must run so that the kernel limits their processes; undefined if it limits those of this one. A user
 * with the number 0 inside a user namespace is not root for the kernel.
 */
export function findOtherUser(): number | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const map = readFileSync('/proc/self/uid_map', 'latin1').trim().split(/\s+/);
  return map.join(' ') === '0 0 4294967295' ? UNPRIVILEGED_USER : undefined;
}

/**
 * Changes a command line so that another user runs it. `given` are folders that the user gets for the command, with all their files;
 * `reached` are folders that it must be able to reach.
 */
export function launchAsUser(
  launch: Launch,
  user: number,
  tools: UserTools,
  { given, reached }: { readonly given: readonly string[]; readonly reached: readonly string[] },
): Launch {
  const [unshare, mount] = CALLS[process.arch]!;
  const code = SHOW_FOLDERS.replace('UNSHARE', `${unshare}`).replace('MOUNT', `${mount}`);
  return {
    ...launch,
    file: tools.unshare,
    args: [
      ...['--mount', '--propagation', 'private', tools.perl, '-e', code],
      ...[`${user}`, ...given, '--', ...reached, '--'],
      ...[tools.setpriv, '--reuid', `${user}`, '--regid', `${user}`, '--clear-groups', launch.file, ...launch.args],
    ],
  };
}

/** Whether `launchAsUser` knows the system calls of this processor. */
export function canLaunchAsUser(): boolean {
  return process.arch in CALLS;
}

/**
 * Makes a user the owner of folders with all their files. Files that the user already owns stay untouched: `chown` would change the time of
 * their last change, and each would be read again after the command.
 */
export async function giveFolders(user: number, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    // A temporary folder of ours: the user must get through it, and still sees nothing else in it.
    const parent = dirname(folder);
    if (basename(parent).startsWith('phaseline-')) await chmod(parent, 0o711);
    await chown(folder, user, user);
    await chmod(folder, 0o700);
  }
  const from = `--from=${process.getuid?.()}`;
  const options = { stdio: 'ignore', env: buildProgramEnvironment() } as const;
  const child = startProgram('/bin/chown', ['-R', '-h', '-P', from, `${user}:${user}`, ...folders], options);
  await Promise.race([once(child, 'close'), once(child, 'error')]);
}
