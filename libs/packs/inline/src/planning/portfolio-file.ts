import { planPaths, portfolioSchema } from '@phaseline/planning';
import type { WorkspaceReader } from '@phaseline/workspace';
import { readTextIfExists } from '../read-text-if-exists.js';

/** Reads the version of the other plans that PortfolioProbe read last; `undefined` if it did not run. */
export async function readPortfolioVersion(workspace: WorkspaceReader): Promise<string | undefined> {
  const text = await readTextIfExists(workspace, planPaths.portfolio);
  return text === undefined ? undefined : portfolioSchema.parse(JSON.parse(text)).version;
}
