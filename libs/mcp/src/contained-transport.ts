import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { CommandConnection, CommandLimits, ContainedProcess, Sandbox } from '@phaseline/sandbox';
import { MessageBuffer } from './message-buffer.js';

/** Limits of a server. It has no time limit of its own: it runs until its connection is closed. */
const LIMITS: CommandLimits = {
  maxMemoryBytes: 1024 * 1024 * 1024,
  maxProcesses: 64,
  maxFileBytes: 1024 * 1024 * 1024,
  maxDiskBytes: 1024 * 1024 * 1024,
};

interface ContainedServer {
  /** A program by name or absolute path. */
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly network?: readonly string[] | undefined;
  readonly maxMessageBytes: number;
  readonly onStderr: (chunk: Buffer) => void;
  readonly onConnection: (connection: CommandConnection) => void;
}

/** Connects to a server that it starts in a sandbox, over the standard streams. The server has an empty folder of its own. */
export class ContainedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private process?: ContainedProcess;
  private root?: string;
  private readonly buffer: MessageBuffer;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly server: ContainedServer,
  ) {
    this.buffer = new MessageBuffer(server.maxMessageBytes);
  }

  async start(): Promise<void> {
    const { command, args, env, network, onConnection, onStderr } = this.server;
    const file = await this.sandbox.findProgram(command, [command], []);
    this.root = await mkdtemp(join(tmpdir(), 'phaseline-server-'));
    const folders = { folder: join(this.root, 'workspace'), tmp: join(this.root, 'tmp') };
    for (const folder of Object.values(folders)) await mkdir(folder);
    const started = await this.sandbox.start({ file, args, env, folders, limits: LIMITS, network, onConnection });
    this.process = started;
    started.stderr.on('data', onStderr);
    started.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    void started.ended
      .catch((error: unknown) => this.onerror?.(error as Error))
      .finally(() => this.remove())
      .catch(() => undefined);
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.process?.stdin;
      if (!stdin?.writable) reject(new Error('the server has ended'));
      else stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  async close(): Promise<void> {
    await this.process?.stop();
    await this.remove();
  }

  private receive(chunk: Buffer): void {
    try {
      this.buffer.append(chunk);
      for (let message = this.buffer.readMessage(); message; message = this.buffer.readMessage())
        this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close().catch(() => undefined);
    }
  }

  private async remove(): Promise<void> {
    const { root } = this;
    if (root === undefined) return;
    delete this.root;
    this.buffer.clear();
    await rm(root, { recursive: true, force: true });
    this.onclose?.();
  }
}
