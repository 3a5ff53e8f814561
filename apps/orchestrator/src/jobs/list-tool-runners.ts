import type { ProcessRegistry } from '@phaseline/cluster';
import type { ReportedToolRunner } from '@phaseline/orchestration';

/** Lists the running tool-runners with what they report about their machines. */
export async function listToolRunners(
  processes: Pick<ProcessRegistry, 'listReports'>,
): Promise<readonly ReportedToolRunner[]> {
  const reports = await processes.listReports();
  return reports
    .filter(({ service, isDead }) => service === 'tool-runner' && !isDead)
    .map(({ host, abilities }) => ({ host, git: abilities['git'] }));
}
