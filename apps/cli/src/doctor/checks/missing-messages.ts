import { awaitedMessages, phaseMessage, toolMessage, type PhaseState } from '@phaseline/domain';
import { counted } from '../../output/quantities.js';
import { fail, ok, some, type Check } from '../check.js';
import { idlePhases } from '../open-phases.js';

/** Work that is due by the log and that no queue knows of, for longer than the reconciler needs to notice. */
export const missingMessages: Check = {
  name: 'missing-messages',
  needs: ['schema', 'queues'],
  run: async (patient) => {
    const queues = await patient.queues();
    const missing: { readonly state: PhaseState; readonly queue: string; readonly id: string }[] = [];
    let looked = 0;
    for await (const state of idlePhases(patient, patient.limits.mendedMs)) {
      looked += 1;
      for (const { queue, id } of awaitedMessages(state))
        if (!(await queues.has(queue, id))) missing.push({ state, queue, id });
    }
    if (missing.length === 0) return ok(looked === 0 ? 'nothing is due' : `none is missing (${looked} idle phases)`);
    return fail(
      `${counted(missing.length, 'message')} that ${missing.length === 1 ? 'is' : 'are'} due by the log stand${missing.length === 1 ? 's' : ''} on no queue: ${some(missing.map(({ id }) => id))}. No reconciler sends them`,
      'start an orchestrator, or see why its reconciler fails; phaseline doctor --mend sends them',
      async () => {
        // Those that a vanished worker still has by its queue: a message under the same id would be dropped.
        await queues.takeBackLost();
        for (const { state, id } of missing) {
          const messages = [phaseMessage(state), ...Object.keys(state.calls).map((call) => toolMessage(state, call))];
          const message = messages.find(({ options }) => options.id === id)!;
          await queues.send(message.queue, message.payload, message.options);
        }
        return `sent ${counted(missing.length, 'message')}`;
      },
    );
  },
};
