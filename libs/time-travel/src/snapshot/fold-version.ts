import { createHash } from 'node:crypto';
import { evolveJob, evolvePhase, jobEventDefinitions, phaseEventDefinitions } from '@phaseline/domain';
import { z } from 'zod';
import { foldJobOutline, outlineOf } from '../fold/outline.js';

/** Raised by hand when the fold changes its meaning in a way that none of what is hashed below shows. */
const GENERATION = 1;

/**
 * Names the fold of this release: sixteen hex digits over the shapes of all events and the code of the fold's outer
 * functions. A snapshot that another fold made is never read, so a release that folds otherwise starts without any.
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
      [evolveJob, evolvePhase, foldJobOutline, outlineOf].map((part) => part.toString()),
    ]),
  )
  .digest('hex')
  .slice(0, 16);
