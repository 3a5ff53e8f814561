import { awaitedMessages, phaseMessage, toolMessage, type PhaseState } from '@phaseline/domain';
import { counted } from '../../output/quantities.js';
import { fail, ok, some, type Check } from '../check.js';
import { idlePhases } from '../open-phases.js';

/** Reports work that is due according to the log but on no queue, for longer than the reconciler needs to notice. */
export const missingMessages: Check = {
  name: 'missing-messages',
  needs: ['schema', 'queues'],
  run: async (target) => {
    const queues = await target.queues();
    const missing: { readonly state: PhaseState; readonly queue: string; readonly id: string }[] = [];
    let checked = 0;
    for await (const state of idlePhases(target, target.limits.mendedMs)) {
      checked += 1;
      for (const { queue, id } of awaitedMessages(state))
        if (!(await queues.has(queue, id))) missing.push({ state, queue, id });
    }
    if (missing.length === 0) return ok(checked === 0 ? 'nothing is due' : `none is missing (${checked} idle phases)`);
    return fail(
      `${counted(missing.length, 'message')} due according to the log ${missing.length === 1 ? 'is' : 'are'} on no queue, and no reconciler sends ${missing.length === 1 ? 'it' : 'them'}: ${some(missing.map(({ id }) => id))}`,
      'start an orchestrator, or find out why its reconciler fails; phaseline doctor --mend sends the messages',
      async () => {
        // The queue may still count a message as held by a dead worker; a new message with the same id would be dropped.
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
