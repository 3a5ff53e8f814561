import type { ModelPlan } from './stack-plan.js';

/** Describes the model of a stack; says so if it is only the rehearsal model. */
export function describeModel(model: ModelPlan): string {
  if (model.kind === 'rehearsal') return 'rehearsal (follows a script; no language model)';
  return `${model.model ?? 'the default of the model profile'} at ${removeLogin(model.baseUrl)}`;
}

function removeLogin(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return `${parsed.origin}${parsed.pathname}`.replace(/\/$/, '');
}
