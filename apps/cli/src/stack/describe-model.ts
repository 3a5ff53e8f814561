import type { ModelPlan } from './stack-plan.js';

/** Which model answers, in words that leave no doubt about a stand-in. */
export function describeModel(model: ModelPlan): string {
  if (model.kind === 'rehearsal') return 'rehearsal (a scripted stand-in, no language model)';
  return `${model.model ?? 'the default of the model profile'} at ${withoutLogin(model.baseUrl)}`;
}

function withoutLogin(url: string): string {
  const parsed = new URL(url);
  parsed.username = '';
  parsed.password = '';
  return `${parsed.origin}${parsed.pathname}`.replace(/\/$/, '');
}
