import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callSystem } from './attempt.fixture.js';

/** What only the service may read begins so. */
const SECRET = /secret-of-[\w-]+/;
/** File to which the name server of the spec writes a line per query. */
export const QUERIES_FILE = 'queries';

/** Whether a text contains a secret of the service, or says that an attempt succeeded. */
export function showsEscape(text: string): boolean {
  return SECRET.test(text) || text.includes('ESCAPED');
}

/**
 * What commands must not reach: another job, and a service with files, an environment, processes, sockets, shared memory and keys. All
 * of it belongs to the user of this process.
 */
export class Victims {
  private readonly servers: Server[] = [];
  private readonly sockets = { ABSTRACT: `phaseline-${randomBytes(6).toString('hex')}`, SOCKET: '' };
  private readonly mark = `86399.${randomBytes(6).readUIntBE(0, 6)}`;
  private readonly sharedKey = randomBytes(4).readInt32BE() & 0x7fffffff;
  private readonly machineTmp = join(tmpdir(), `victim-${randomBytes(6).toString('hex')}`);
  private process: ChildProcess | undefined;
  private port = 0;
  private contacts = 0;
  private queries = 0;

  /** `root` is a folder that the spec made, with the folder `toolchain`. */
  constructor(private readonly root: string) {}

  /** The root of the working folders. */
  get work(): string {
    return join(this.root, 'work');
  }

  get toolchain(): string {
    return join(this.root, 'toolchain');
  }

  /** The variables of the attempts. */
  get variables(): Record<string, string> {
    return {
      OTHER: join(this.work, 'other/phase-1/workspace'),
      SERVICE: this.service,
      TOOLCHAIN: this.toolchain,
      SETUID_ID: join(this.toolchain, 'setuid-id'),
      MACHINE_TMP: this.machineTmp,
      VICTIM_PID: `${this.process?.pid}`,
      MARK: this.mark,
      SHARED_KEY: `${this.sharedKey}`,
      PORT: `${this.port}`,
      ...this.sockets,
    };
  }

  async start(): Promise<void> {
    this.sockets.SOCKET = join(this.service, 'service.sock');
    mkdirSync(join(this.work, 'other/phase-1/tmp'), { recursive: true });
    mkdirSync(join(this.work, 'other/phase-1/workspace'));
    this.reset();
    this.port = await this.listen({ port: 0, host: '127.0.0.1' });
    await this.listen({ path: `\0${this.sockets.ABSTRACT}` });
    await this.listen({ path: this.sockets.SOCKET });
    runPerl(
      `my $i = shmget(${this.sharedKey}, 64, 0600 | 01000) // die; shmwrite($i, "secret-of-memory", 0, 16) or die;` +
        `my ($t, $n, $v) = ("user\\0", "phaseline-victim\\0", "secret-of-keyring");` +
        `${callSystem([248, 217], '$t, $n, $v, 17, -4')} > 0 or die "no key: $!"`,
    );
  }

  /** Repairs what an attempt changed. */
  reset(): void {
    for (const [path, text] of Object.entries(this.files)) if (read(path) !== text) writeFileSync(path, text);
    for (const name of this.listStrangers()) rmSync(join(this.service, name), { recursive: true });
    for (const pid of this.findLeft()) process.kill(pid, 'SIGKILL');
    if (!isAlive(this.process))
      this.process = spawn('/bin/sh', ['-c', 'while :; do sleep 1000; done', 'secret-of-arguments'], {
        stdio: 'ignore',
      });
    this.contacts = 0;
    this.queries = this.countQueries();
  }

  /** Returns what has happened since the last reset that should not. */
  findHarms(): string[] {
    const changed = Object.entries(this.files).some(([path, text]) => read(path) !== text);
    return [
      ...(changed || this.listStrangers().length > 0 ? ['changed-file'] : []),
      ...(isAlive(this.process) ? [] : ['victim-process']),
      ...(this.findLeft().length > 0 ? ['left-processes'] : []),
      ...(this.contacts > 0 ? ['contacted-service'] : []),
      ...(this.countQueries() > this.queries ? ['asked-name-server'] : []),
    ];
  }

  close(): void {
    this.process?.kill('SIGKILL');
    for (const server of this.servers) server.close();
    rmSync(this.machineTmp, { force: true });
    runPerl(
      `my ($t, $n) = ("user\\0", "phaseline-victim\\0"); my $k = ${callSystem([250, 219], '10, -4, $t, $n, 0')};` +
        `${callSystem([250, 219], '9, $k, -4')}`,
    );
  }

  private get service(): string {
    return join(this.root, 'service');
  }

  private get files(): Record<string, string> {
    const { work, service, toolchain, machineTmp } = this;
    return {
      [join(work, 'other/phase-1/workspace/secret.txt')]: 'secret-of-other-job',
      [join(work, 'other/phase-1/tmp/secret.txt')]: 'secret-of-tmp',
      [join(service, '.env')]: 'KEY=secret-of-service',
      [machineTmp]: 'secret-of-machine',
      [join(toolchain, 'program')]: '#!/bin/sh\n',
    };
  }

  /** Lists what was put into the folder of the service. */
  private listStrangers(): string[] {
    return readdirSync(this.service).filter((name) => !['.env', 'open-file', 'service.sock'].includes(name));
  }

  private listen(at: { port: number; host: string } | { path: string }): Promise<number> {
    const server = createServer((socket) => {
      this.contacts += 1;
      socket.on('error', () => undefined).end('secret-of-loopback\n');
    });
    this.servers.push(server);
    return new Promise((resolve, reject) => {
      server
        .on('error', reject)
        .listen(at, () => resolve('port' in at ? (server.address() as { port: number }).port : 0));
    });
  }

  private countQueries(): number {
    return read(join(this.root, QUERIES_FILE))?.length ?? 0;
  }

  /** Finds processes with the mark of a script in their arguments. */
  private findLeft(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
      .filter((name) => read(`/proc/${name}/cmdline`)?.includes(this.mark))
      .map(Number);
  }
}

function runPerl(code: string): void {
  const { status, stderr } = spawnSync('perl', ['-e', code], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`perl failed: ${stderr}`);
}

function isAlive(child: ChildProcess | undefined): boolean {
  return child?.pid !== undefined && !/^State:\s+Z/m.test(read(`/proc/${child.pid}/status`) ?? 'State: Z');
}

function read(path: string): string | undefined {
  try {
    return existsSync(path) ? readFileSync(path, 'latin1') : undefined;
  } catch {
    return undefined;
  }
}
