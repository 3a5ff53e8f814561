import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PhaselineClient } from '@phaseline/client';
import { openLocalHome } from '@phaseline/local-stack';
import { planStack } from '../../apps/cli/src/stack/stack-plan.js';
import { startStack, type RunningStack, type StartStackOptions } from '../../apps/cli/src/stack/start-stack.js';

export interface AgentStack {
  readonly stack: RunningStack;
  readonly client: PhaselineClient;
  close(): Promise<void>;
}

/** Starts all services with the given agents, as texts of `agent.yaml` by name, and a model server. */
export async function startAgentStack(
  agents: Readonly<Record<string, string>>,
  modelUrl: string,
  {
    env: more,
    files = {},
    ...options
  }: {
    readonly env?: NodeJS.ProcessEnv;
    /** More files by path, beside the folder `agents`. With a folder `workflows`, its workflows replace the shipped ones. */
    readonly files?: Readonly<Record<string, string>>;
  } & Pick<StartStackOptions, 'onServiceEvent'> = {},
): Promise<AgentStack> {
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    for (const [name, yaml] of Object.entries(agents)) {
      await mkdir(join(folder, 'agents', name), { recursive: true });
      await writeFile(join(folder, 'agents', name, 'agent.yaml'), yaml);
      await writeFile(join(folder, 'agents', name, 'instructions.md'), `Work as ${name}.\n`);
    }
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const hasWorkflows = Object.keys(files).some((path) => path.startsWith('workflows/'));
    const { PATH, HOME } = process.env;
    const env = {
      PATH,
      HOME,
      PHASELINE_HOME: join(folder, 'home'),
      PHASELINE_AGENTS_DIR: join(folder, 'agents'),
      ...(hasWorkflows ? { PHASELINE_WORKFLOWS_DIR: join(folder, 'workflows') } : {}),
      OPENAI_BASE_URL: modelUrl,
      OPENAI_API_KEY: 'test',
      ...more,
    };
    const stack = await startStack({
      home: await openLocalHome(env, folder),
      plan: planStack(env, { queueBackend: 'postgres' }),
      env,
      signal: new AbortController().signal,
      ...options,
    });
    const { apiUrl: baseUrl, apiKey } = stack;
    return {
      stack,
      client: new PhaselineClient({ baseUrl, ...(apiKey === undefined ? {} : { apiKey }) }),
      close: async () => {
        await stack.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
