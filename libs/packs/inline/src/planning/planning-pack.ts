import { planningSpec } from '@phaseline/pack-specs';
import { implementPack } from '@phaseline/tools';
import { elicitContext, probePreference } from './collect-context.js';
import { controlApproval, controlClarification, handleApproval } from './control-people.js';
import { controlContext, controlDraft, controlValidation } from './control-stages.js';
import { choosePattern, generateNodes } from './draft-outline.js';
import { brainstorm, buildRoadmap, craftOptions } from './draft-roadmap.js';
import { openPlan } from './open-plan.js';
import { validateDraft } from './validate-draft.js';
import { summarize } from './write-message.js';

/** Tools of the planner that run in workers, and the controllers of its workflow. */
export const planningPack = implementPack(planningSpec, {
  open_session: openPlan,
  context_elicitor: elicitContext,
  preference_probe: probePreference,
  brainstormer: brainstorm,
  pattern_selector: choosePattern,
  node_generator: generateNodes,
  grammar_validator: validateDraft,
  option_crafter: craftOptions,
  roadmap_builder: buildRoadmap,
  summarizer: summarize,
  approval_handler: handleApproval,
  assess_context: controlContext,
  assess_stage: controlDraft,
  validate_artifact: controlValidation,
  request_approval: controlApproval,
  clarify: controlClarification,
});
