import type { PackSpec } from '@phaseline/contracts';
import { inlinePacks } from '@phaseline/inline-packs';
import { packSpecs } from '@phaseline/pack-specs';

/** The packs that workers offer: inline packs with the code that runs them, and of all others only the declarations. */
export const offeredPacks: readonly PackSpec[] = packSpecs.map(
  (spec) => inlinePacks.find(({ name }) => name === spec.name) ?? spec,
);
