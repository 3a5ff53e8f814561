import { formatComplaint, InvalidDefinitions } from '@phaseline/definitions';
import { loadAllDefinitions } from '../../agents/load-all-definitions.js';
import { counted } from '../../output/quantities.js';
import { fail, ok, type Check } from '../check.js';

/** Complaints that are told one by one. */
const SHOWN = 3;

/** The agents, workflows and model profiles of this machine. */
export const definitions: Check = {
  name: 'definitions',
  run: async ({ env }) => {
    try {
      const { agents, workflows, models } = await loadAllDefinitions(env);
      return ok(
        `${counted(agents.names.length, 'agent')}, ${counted(workflows.names.length, 'workflow')}, ${counted(models.names.length, 'model profile')}`,
      );
    } catch (error) {
      if (!(error instanceof InvalidDefinitions)) throw error;
      const rest = error.complaints.length - SHOWN;
      const told = error.complaints.slice(0, SHOWN).map((complaint) => formatComplaint(complaint));
      return fail(
        `${told.join('; ')}${rest > 0 ? `; and ${rest} more` : ''}`,
        'correct the files; phaseline agents validate shows every complaint',
      );
    }
  },
};
