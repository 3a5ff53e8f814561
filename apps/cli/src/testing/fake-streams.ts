import { Writable } from 'node:stream';
import type { Host } from '../run-cli.js';

/** A stream that records what is written to it. Acts as a terminal if `columns` is given. */
export class FakeStream extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(readonly columns?: number) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
  }

  override _write(chunk: string | Uint8Array, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    done();
  }

  get lines(): string[] {
    return this.text.split('\n').slice(0, -1);
  }
}

/** Creates a host with an empty environment for one command line. */
export function createFakeHost(
  change: Partial<Host> = {},
): Host & { readonly stdout: FakeStream; readonly stderr: FakeStream } {
  return {
    stdout: new FakeStream(),
    stderr: new FakeStream(),
    input: process.stdin,
    env: {},
    currentDirectory: '/nowhere',
    signal: new AbortController().signal,
    now: () => Date.parse('2025-03-01T12:01:00.000Z'),
    ...change,
  } as Host & { readonly stdout: FakeStream; readonly stderr: FakeStream };
}
