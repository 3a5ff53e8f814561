import { arch } from 'node:os';

/**
 * System calls that no command needs and that reach outside the sandbox, or parts of the kernel that had many defects: keyrings are
 * shared with the user of the service, new namespaces and mounts give capabilities inside them. Numbers of x86-64 and of the common
 * table that 64-bit ARM uses.
 */
const DENIED_CALLS: Readonly<Record<string, readonly [x64: number, arm64: number]>> = {
  acct: [163, 89], add_key: [248, 217], bpf: [321, 280], delete_module: [176, 106], finit_module: [313, 273],
  fsconfig: [431, 431], fsmount: [432, 432], fsopen: [430, 430], fspick: [433, 433], init_module: [175, 105],
  io_uring_enter: [426, 426], io_uring_register: [427, 427], io_uring_setup: [425, 425], kexec_file_load: [320, 294],
  kexec_load: [246, 104], keyctl: [250, 219], mount: [165, 40], mount_setattr: [442, 442], move_mount: [429, 429],
  open_by_handle_at: [304, 265], open_tree: [428, 428], perf_event_open: [298, 241], pivot_root: [155, 41],
  quotactl: [179, 60], reboot: [169, 142], request_key: [249, 218], setns: [308, 268], swapoff: [168, 225],
  swapon: [167, 224], syslog: [103, 116], umount2: [166, 39], unshare: [272, 97], userfaultfd: [323, 282],
}; // prettier-ignore

const NUMBERS = { x64: 0, arm64: 1 } as const;
/** `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64`. */
const AUDIT_ARCH = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
const SPECIAL = { socket: [41, 198], ioctl: [16, 29], clone: [56, 220], clone3: [435, 435] } as const;
/** Address families that a command may use: unix, IPv4, IPv6 and netlink. Others, such as vsock, are not in a namespace of their own. */
const ALLOWED_FAMILIES = [1, 2, 10, 16];
/** Requests that put characters into the input of a terminal: TIOCSTI and TIOCLINUX. */
const DENIED_IOCTLS = [0x5412, 0x541c];
const CLONE_NEWUSER = 0x10000000;

const LOAD = 0x20;
const EQUAL = 0x15;
const AT_LEAST = 0x35;
const HAS_BITS = 0x45;
const RETURN = 0x06;
const ALLOW = 0x7fff0000;
const KILL_PROCESS = 0x80000000;
const DENY = 0x00050001;
/** ENOSYS: the C library then uses `clone`, whose flags a filter can read. */
const NOT_IMPLEMENTED = 0x00050026;
const OFFSET = { call: 0, arch: 4, firstArgument: 16, secondArgument: 24 };

/** Builds the filter of system calls as a program for the kernel; undefined for a processor without a table. */
export function buildSeccompFilter(processor: string = arch()): Buffer | undefined {
  if (processor !== 'x64' && processor !== 'arm64') return undefined;
  const column = NUMBERS[processor];
  const program: [code: number, jumpTrue: number, jumpFalse: number, value: number][] = [];
  const add = (code: number, value: number, jumpTrue = 0, jumpFalse = 0): void => {
    program.push([code, jumpTrue, jumpFalse, value]);
  };
  add(LOAD, OFFSET.arch);
  add(EQUAL, AUDIT_ARCH[processor], 1, 0);
  // Calls of another architecture have other numbers.
  add(RETURN, KILL_PROCESS);
  add(LOAD, OFFSET.call);
  if (processor === 'x64') {
    add(AT_LEAST, 0x40000000, 0, 1);
    add(RETURN, DENY);
  }
  for (const numbers of Object.values(DENIED_CALLS)) {
    add(EQUAL, numbers[column], 0, 1);
    add(RETURN, DENY);
  }
  add(EQUAL, SPECIAL.clone3[column], 0, 1);
  add(RETURN, NOT_IMPLEMENTED);
  // clone with a new user namespace.
  add(EQUAL, SPECIAL.clone[column], 0, 4);
  add(LOAD, OFFSET.firstArgument);
  add(HAS_BITS, CLONE_NEWUSER, 0, 1);
  add(RETURN, DENY);
  add(RETURN, ALLOW);
  add(EQUAL, SPECIAL.socket[column], 0, ALLOWED_FAMILIES.length * 2 + 2);
  add(LOAD, OFFSET.firstArgument);
  for (const family of ALLOWED_FAMILIES) {
    add(EQUAL, family, 0, 1);
    add(RETURN, ALLOW);
  }
  add(RETURN, DENY);
  add(EQUAL, SPECIAL.ioctl[column], 0, DENIED_IOCTLS.length * 2 + 1);
  add(LOAD, OFFSET.secondArgument);
  for (const request of DENIED_IOCTLS) {
    add(EQUAL, request, 0, 1);
    add(RETURN, DENY);
  }
  add(RETURN, ALLOW);
  const bytes = Buffer.alloc(program.length * 8);
  for (const [at, [code, jumpTrue, jumpFalse, value]] of program.entries()) {
    bytes.writeUInt16LE(code, at * 8);
    bytes.writeUInt8(jumpTrue, at * 8 + 2);
    bytes.writeUInt8(jumpFalse, at * 8 + 3);
    bytes.writeUInt32LE(value, at * 8 + 4);
  }
  return bytes;
}
