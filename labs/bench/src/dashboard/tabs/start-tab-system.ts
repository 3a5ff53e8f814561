import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, superviseServices, type ServiceSpec } from '@phaseline/local-stack';
import { anyAgentPolicy, REHEARSAL_MODEL, startRehearsalServer, type RehearsalPolicy } from '@phaseline/rehearsal';

const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
const PROGRAMS_FOLDER = fileURLToPath(new URL('../../../../../dist/services', import.meta.url));
const PROSE = 'I look at what the task says, and then at what the documents say about it. '.repeat(6);

const agents = {
  writer: `name: writer
displayName: Writer
description: Writes a result about a document.
tools:
  workspace: [read_file, write_file, append_file]
deliverables: [output/result.md]
`,
  asker: `name: asker
displayName: Asker
description: Asks a person which colour the result should have.
tools:
  workspace: [read_file, write_file, append_file]
  domain: [ask_person]
deliverables: [output/result.md]
`,
};

/** Plays any agent, and says something with each answer, so that there is text to watch. */
const talking: RehearsalPolicy = {
  ...anyAgentPolicy,
  answer: (request) => ({ ...anyAgentPolicy.answer(request), content: PROSE }),
};

export interface TabSystem {
  readonly url: string;
  /** Port of the inspector of the orchestrator. */
  readonly inspectorPort: number;
  stop(): Promise<void>;
}

/** Starts all services with two agents, and a model that writes slowly. */
export async function startTabSystem({
  databaseUrl,
  folder,
}: {
  readonly databaseUrl: string;
  /** For agents, workspaces and logs. */
  readonly folder: string;
}): Promise<TabSystem> {
  await writeAgents(join(folder, 'agents'));
  const model = await startRehearsalServer({ policies: [talking], latencyMs: 100, pieceMs: 15 });
  const inspectorPort = await findFreePort();
  const specs: ServiceSpec[] = [];
  for (const name of SERVICES) specs.push(await describeService(name, { databaseUrl, folder, inspectorPort, model }));
  try {
    const supervision = await superviseServices(specs, { logDirectory: join(folder, 'logs') });
    const stop = async (): Promise<void> => {
      await supervision.stop(7_000);
      await model.close();
    };
    return { url: new URL(specs[0]!.healthUrl).origin, inspectorPort, stop };
  } catch (error) {
    await model.close();
    throw error;
  }
}

async function writeAgents(folder: string): Promise<void> {
  for (const [name, yaml] of Object.entries(agents)) {
    await mkdir(join(folder, name), { recursive: true });
    await writeFile(join(folder, name, 'agent.yaml'), yaml);
    await writeFile(join(folder, name, 'instructions.md'), `Work as ${name}.\n`);
  }
}

async function describeService(
  name: (typeof SERVICES)[number],
  system: {
    readonly databaseUrl: string;
    readonly folder: string;
    readonly inspectorPort: number;
    readonly model: { readonly baseUrl: string };
  },
): Promise<ServiceSpec> {
  const port = await findFreePort();
  const { databaseUrl, folder, inspectorPort, model } = system;
  return {
    name,
    command: process.execPath,
    args: [
      ...(name === 'orchestrator' ? [`--inspect=127.0.0.1:${inspectorPort}`] : []),
      join(PROGRAMS_FOLDER, `${name}.js`),
    ],
    env: {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
      ...{ PORT: String(port), PHASELINE_HOST: '127.0.0.1', PHASELINE_ENV_FILE: 'none', LOG_LEVEL: 'warn' },
      ...{ DATABASE_URL: databaseUrl, PHASELINE_QUEUE_BACKEND: 'postgres' },
      ...{ OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'no-key-needed', PHASELINE_MODEL: REHEARSAL_MODEL },
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      PHASELINE_WORKSPACES_DIR: join(folder, 'workspaces'),
      PHASELINE_WORK_DIR: join(folder, 'work'),
      PHASELINE_REPOSITORIES_DIR: join(folder, 'repositories'),
    },
    healthUrl: `http://127.0.0.1:${port}/ready`,
  };
}
