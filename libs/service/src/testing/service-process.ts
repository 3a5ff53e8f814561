import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { typescriptProcess } from '@phaseline/test-database';

/** The example service in a process of its own. */
export class ServiceProcess {
  output = '';
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readonly #child: ChildProcess;

  constructor(env: NodeJS.ProcessEnv) {
    this.#child = spawn(process.execPath, typescriptProcess(new URL('./example-service.ts', import.meta.url)), {
      env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'debug', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = once(this.#child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  /** Resolves as soon as the output contains the text. */
  async says(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      const over = await Promise.race([
        this.ended.then(() => true),
        once(this.#child.stdout!, 'data').then(() => false),
      ]);
      if (over && !this.output.includes(text))
        throw new Error(`The service ended without saying ${JSON.stringify(text)}. It said:\n${this.output}`);
    }
  }

  /** Resolves with the base URL when the service listens. */
  async url(): Promise<string> {
    await this.says('"message":"ready"');
    return /"url":"([^"]+)"/.exec(this.output)![1]!;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** What happens to standard input when the parent is gone. */
  closeInput(): void {
    this.#child.stdin!.end();
  }

  /** The log, parsed; lines that are not JSON are left out. */
  get log(): Record<string, unknown>[] {
    return this.output
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}
