import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { toolSettingsSchema, type ToolDefinition } from '@phaseline/contracts';
import { createConnectOptions, addMcpTools } from '@phaseline/mcp';
import { createMcpPack } from '@phaseline/remote-packs';
import { Sandbox } from '@phaseline/sandbox';
import { z } from 'zod';

const folder = new URL('../../../../test/mcp-servers/', import.meta.url);
const installed = new URL('node_modules/.package-lock.json', folder);

const serversSchema = z.record(
  z.string(),
  z.strictObject({
    package: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
  }),
);
const packageSchema = z.looseObject({ bin: z.union([z.string(), z.record(z.string(), z.string())]) });

/** Thrown when the servers are not installed and could not be downloaded. */
export class ServersMissing extends Error {
  override readonly name = 'ServersMissing';
}

/** Installs the servers of test/mcp-servers if they are missing. Throws ServersMissing with the output of npm. */
export async function installServers(note: (what: string) => void): Promise<void> {
  if (existsSync(installed)) return;
  note('installing MCP servers into test/mcp-servers (160 MB, once)');
  const npm = spawn('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  npm.stderr.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-2_000)));
  const code = await new Promise<number | null>((resolve) => {
    npm.on('error', (error) => {
      output = error.message;
      resolve(null);
    });
    npm.on('close', resolve);
  });
  if (code !== 0)
    throw new ServersMissing(
      `The MCP servers of test/mcp-servers are not installed, and npm could not download them. Run "npm ci" in that folder once while a registry is reachable. Output of npm: ${output.trim()}`,
    );
}

/** Lists the tools of all servers over their standard streams, as an agent gets them. */
export async function listServerTools(): Promise<readonly ToolDefinition[]> {
  const servers = serversSchema.parse(JSON.parse(await readFile(new URL('servers.json', folder), 'utf8')));
  const commands = await Promise.all(
    Object.entries(servers).map(async ([name, server]) => {
      const home = new URL(`node_modules/${server.package}/`, folder);
      const { bin } = packageSchema.parse(JSON.parse(await readFile(new URL('package.json', home), 'utf8')));
      const program = typeof bin === 'string' ? bin : Object.values(bin)[0]!;
      const args = [fileURLToPath(new URL(program, home)), ...server.args];
      return [name, { command: process.execPath, args, env: server.env }] as const;
    }),
  );
  const pack = createMcpPack();
  const options = createConnectOptions({ sandbox: new Sandbox({ mode: 'auto', toolchain: [fileURLToPath(folder)] }) });
  const tools: ToolDefinition[] = [];
  // One after the other, because some take seconds of CPU time to start.
  for (const [name, server] of commands) {
    const settings = await addMcpTools(toolSettingsSchema.parse({ mcp: { servers: { [name]: server } } }), options);
    tools.push(...pack.dynamic!.list(settings).map(({ definition }) => definition));
  }
  await pack.close();
  return tools;
}

export interface LabelledRequest {
  readonly request: string;
  /** Names of the right tools for the request, as shown to the model. */
  readonly right: readonly string[];
}

/** The search was tuned on `dev` only; `by-model` and `held-out` are used for measurement alone. */
export type RequestSet = 'by-model' | 'held-out' | 'dev';

/** Reads the requests of a set. Throws for an invalid line. */
export async function readLabelledRequests(set: RequestSet): Promise<readonly LabelledRequest[]> {
  const text = await readFile(new URL(`requests/${set}.txt`, folder), 'utf8');
  return text.split('\n').flatMap((line) => {
    if (line === '' || line.startsWith('#')) return [];
    const [request, right] = line.split(' => ');
    if (!request || !right) throw new Error(`invalid line, expected "request => tools": ${line}`);
    return [{ request, right: right.split(' ').map((name) => `mcp__${name.replace('/', '__')}`) }];
  });
}
