import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findFreePort, serviceNodeArguments, type ServiceSpec } from '@phaseline/local-stack';

const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const PROGRAMS_FOLDER = fileURLToPath(new URL('../../../../dist/services', import.meta.url));

/** Describes the four services on one machine, as `phaseline up` starts them. Their queues are in PostgreSQL unless Redis has a URL. */
export async function describeServices(options: {
  readonly databaseUrl: string;
  readonly redisUrl?: string | undefined;
  readonly folder: string;
}): Promise<ServiceSpec[]> {
  const { databaseUrl, redisUrl, folder } = options;
  return Promise.all(
    SERVICES.map(async (name) => {
      const port = await findFreePort();
      return {
        name,
        command: process.execPath,
        args: [...serviceNodeArguments, join(PROGRAMS_FOLDER, `${name}.js`)],
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: databaseUrl,
          ...(redisUrl === undefined
            ? { PHASELINE_QUEUE_BACKEND: 'postgres' }
            : { PHASELINE_QUEUE_BACKEND: 'redis', REDIS_URL: redisUrl }),
          PORT: String(port),
          LOG_LEVEL: 'warn',
          PHASELINE_ENV_FILE: 'none',
          PHASELINE_HOST: '127.0.0.1',
          PHASELINE_WORKSPACES_DIR: join(folder, 'workspaces'),
        },
        healthUrl: `http://127.0.0.1:${port}/ready`,
      };
    }),
  );
}
