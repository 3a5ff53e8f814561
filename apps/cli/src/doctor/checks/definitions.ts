import { formatProblem, InvalidDefinitions } from '@phaseline/definitions';
import { loadAllDefinitions } from '../../agents/load-all-definitions.js';
import { pluralise } from '../../output/quantities.js';
import { fail, ok, type Check } from '../check.js';

const MAX_PROBLEMS_SHOWN = 3;

/** Validates the agents, workflows and model profiles of this machine. */
export const definitions: Check = {
  name: 'definitions',
  run: async ({ env }) => {
    try {
      const { agents, workflows, models } = await loadAllDefinitions(env);
      return ok(
        `${pluralise(agents.names.length, 'agent')}, ${pluralise(workflows.names.length, 'workflow')}, ${pluralise(models.names.length, 'model profile')}`,
      );
    } catch (error) {
      if (!(error instanceof InvalidDefinitions)) throw error;
      const hidden = error.problems.length - MAX_PROBLEMS_SHOWN;
      const shown = error.problems.slice(0, MAX_PROBLEMS_SHOWN).map((problem) => formatProblem(problem));
      return fail(
        `${shown.join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''}`,
        'correct the files; phaseline agents validate lists every problem',
      );
    }
  },
};
