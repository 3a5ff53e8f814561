import { createHash } from 'node:crypto';
import { jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { z } from 'zod';
import { foldSources } from './fold-sources.js';

/** Raised by hand when the meaning of the fold changes but none of the hashed inputs below does. */
const GENERATION = 2;

/**
 * Version of this release's fold: sixteen hex digits of a hash over the shapes of all events and the sources of the
 * fold. A snapshot made by another fold is never read, so a release with a changed fold starts without snapshots. The
 * hash of the sources is recorded instead of computed from the functions, because functions are compiler output and
 * would differ between two builds of the same sources.
 */
export const foldVersion: string = createHash('sha256')
  .update(
    JSON.stringify([
      GENERATION,
      [...jobEventDefinitions, ...phaseEventDefinitions].map(({ type, version, data }) => [
        type,
        version,
        z.toJSONSchema(data, { unrepresentable: 'any', io: 'output' }),
      ]),
      foldSources,
    ]),
  )
  .digest('hex')
  .slice(0, 16);
