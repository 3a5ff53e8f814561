import type { ToolSettings } from '@phaseline/contracts';

type CommandOptions = Partial<NonNullable<ToolSettings['commands']>>;

/**
 * An attempt to get out of a command. Its shell script prints `ESCAPED`, or something that the service kept from it, if it succeeds. The
 * variables in scripts are those of `Victims`.
 */
export interface Attempt {
  readonly name: string;
  readonly script: string;
  /** A second command, in another working directory. */
  readonly then?: { readonly script: string; readonly cwd: string };
  /**
   * Who succeeds with the same script without a sandbox, which shows that the attempt is real; or why nobody tries. `user` is an ordinary
   * user for whom root made the program with the setuid bit.
   */
  readonly control: 'everyone' | 'root' | 'user' | { readonly none: string };
  /** Whether the control succeeded: it printed `ESCAPED` or a secret, unless the attempt is on something else. */
  readonly harms?: 'victim-process' | 'left-processes' | 'asked-name-server';
  /** The limit that ends the command, as the event says. */
  readonly stoppedBy?: 'time' | 'memory' | 'processes' | 'disk';
  /** Whether the command may end before its last line. */
  readonly isKilled?: boolean;
  /** Part of the recorded output, unchanged. */
  readonly records?: string;
  /** Hosts of connections that are events, and are refused. */
  readonly refused?: readonly string[];
  readonly settings?: CommandOptions;
}

/** Returns Perl code that makes a system call by its numbers. Perl is on every Debian, a compiler is not. */
export function callSystem([x64, arm64]: readonly [x64: number, arm64: number], args: string): string {
  return `syscall(${process.arch === 'arm64' ? arm64 : x64}, ${args})`;
}

/** Returns a command that runs Perl code without quotes in it. */
export function perl(code: string, options = ''): string {
  if (code.includes("'")) throw new Error(`the code contains a quote: ${code}`);
  return `perl ${options} -e '${code}'`;
}
