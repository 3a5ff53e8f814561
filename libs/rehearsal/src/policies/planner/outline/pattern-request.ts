import type { JsonObject } from '@phaseline/basics';
import type { PlanScene } from '../plan-scene.js';
import { readFeatures, isStepRoutine } from '../reading/read-features.js';
import type { ProposalReading } from '../reading/read-proposal.js';
import { toToolArguments } from '../tool-results.js';
import { canonicalGrammars, type CanonicalName } from './canonical-grammars.js';

/** Builds the arguments of the tool that selects the pattern. Without `withProposal`, a proposal of the person is left out. */
export function buildPatternRequest(scene: PlanScene, withProposal: boolean): JsonObject {
  const { conversation, confidence, session } = scene;
  const { goal, changes } = conversation;
  const features = readFeatures(goal);
  const { proposal } = goal;
  const isOpen = proposal !== undefined && !session.refusedProposals.some((key) => key.includes(proposal.name));
  return {
    features: toToolArguments(features),
    ...(changes.requestedPattern !== undefined && { requested_pattern: changes.requestedPattern }),
    ...(isStepRoutine(goal) && { subtype: 'protocol_routine' }),
    ...(withProposal &&
      isOpen && {
        proposal: buildProposal(
          proposal,
          goal.aim.title,
          session.selectedPattern?.sourcePattern,
          features.changeOfState,
        ),
      }),
    confidence,
  };
}

function buildProposal(
  proposal: ProposalReading,
  title: string,
  source: string | undefined,
  changeOfState: number,
): JsonObject {
  const { level, name, reason } = proposal;
  const plain = name.replace('proposed:', '').replaceAll('_', ' ');
  const rfc = `The person asks for the ${level === 'subtype' ? 'subtype' : 'pattern'} "${plain}" for plans such as "${title}"${reason === undefined ? '.' : `, because ${reason}.`}`;
  if (level === 'subtype') return { level, name, rfc };
  const sourcePattern = isCanonical(source)
    ? source
    : changeOfState > 0.5
      ? 'strategic_transformation'
      : 'milestone_project';
  const definition = {
    pattern: name,
    description: `Plans of the kind "${plain}".`,
    sourcePattern,
    ...canonicalGrammars[sourcePattern],
    subtypes: [],
  };
  return { level, name, rfc, source_pattern: sourcePattern, definition: toToolArguments(definition) };
}

function isCanonical(name: string | undefined): name is CanonicalName {
  return name !== undefined && name in canonicalGrammars;
}
