import { fileURLToPath } from 'node:url';

export const serviceNames = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Root of the repository, relative to `src` and to `dist` alike. */
export const repositoryRoot = fileURLToPath(new URL('../../../../', import.meta.url));

/** Path of the built program: the orchestrator as it ships, the other services with the tools of the chaos agent. */
export function programOf(service: ServiceName): string {
  return service === 'orchestrator'
    ? `${repositoryRoot}dist/services/orchestrator.js`
    : `${repositoryRoot}labs/chaos/dist/processes/${service}.js`;
}
