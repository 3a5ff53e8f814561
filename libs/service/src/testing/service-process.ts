import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { getTypescriptArguments } from '@phaseline/testing';

/** Runs the example service in a separate process. */
export class ServiceProcess {
  output = '';
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  private readonly child: ChildProcess;

  constructor(env: NodeJS.ProcessEnv) {
    this.child = spawn(process.execPath, getTypescriptArguments(new URL('./example-service.ts', import.meta.url)), {
      env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'debug', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.ended = once(this.child, 'close').then(([code, signal]) => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }));
  }

  /** Resolves as soon as the output contains the text. Throws if the service ends before. */
  async waitForOutput(text: string): Promise<void> {
    while (!this.output.includes(text)) {
      const hasEnded = await Promise.race([
        this.ended.then(() => true),
        once(this.child.stdout!, 'data').then(() => false),
      ]);
      if (hasEnded && !this.output.includes(text))
        throw new Error(`The service ended without printing ${JSON.stringify(text)}. Its output:\n${this.output}`);
    }
  }

  /** Resolves with the base URL when the service is listening. */
  async waitForUrl(): Promise<string> {
    await this.waitForOutput('"message":"ready"');
    return /"url":"([^"]+)"/.exec(this.output)![1]!;
  }

  get pid(): number {
    return this.child.pid!;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Closes standard input, as happens when the parent process exits. */
  closeInput(): void {
    this.child.stdin!.end();
  }

  /** The parsed log lines. Lines that are not JSON are skipped. */
  get logEntries(): Record<string, unknown>[] {
    return this.output
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : []));
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.ended;
  }
}
