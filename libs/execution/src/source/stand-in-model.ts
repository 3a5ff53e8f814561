import { modelProfileSchema, type ModelProfile } from '@phaseline/model';
import type { ConfiguredModel } from '../ports.js';

type Settings = Partial<Pick<ModelProfile, 'maxOutputTokens' | 'prices'>> & {
  readonly reasoning?: Pick<ModelProfile['reasoning'], 'sendBack'>;
};

/** Returns a model that is never called; without settings, one without a price. */
export function createStandIn(name: string, contextTokens: number, settings: Settings = {}): ConfiguredModel {
  const profile = modelProfileSchema.parse({ name: 'recorded', model: 'recorded', maxOutputTokens: 16, ...settings });
  const model = {
    complete: () => Promise.reject(new Error('a phase that replays a recording has no model to call')),
  };
  return { profile: { ...profile, name }, model, contextTokens };
}
