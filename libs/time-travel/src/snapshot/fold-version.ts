import { createHash } from 'node:crypto';
import { jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { z } from 'zod';
import { foldSources } from './fold-sources.js';

/** Raised by hand when the fold changes its meaning in a way that none of what is hashed below shows. */
const GENERATION = 2;

/**
 * Names the fold of this release: sixteen hex digits over the shapes of all events and the sources of the fold. A snapshot that another
 * fold made is never read, so a release that folds otherwise starts without any. The hash of the sources is recorded and not computed
 * from the functions: these are the output of a compiler, and two builds of the same sources would differ.
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
