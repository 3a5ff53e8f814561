import type { PackSpec } from '@phaseline/contracts';
import { packSpecs } from '@phaseline/pack-specs';
import { inlinePacks } from './inline-packs.js';

/** The packs that workers offer: inline packs with the code that runs them, and of all others only the declarations. */
export const offeredPacks: readonly PackSpec[] = packSpecs.map(
  (spec) => inlinePacks.find(({ name }) => name === spec.name) ?? spec,
);
