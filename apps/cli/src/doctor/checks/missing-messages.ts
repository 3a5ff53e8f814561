import { deriveMessageId, type MessageId } from '@phaseline/contracts';
import { listAwaitedMessages, buildPhaseMessage, buildToolMessage, type PhaseState } from '@phaseline/domain';
import { pluralise } from '../../output/quantities.js';
import { fail, ok, formatList, type Check } from '../check.js';
import { readIdlePhases } from '../open-phases.js';

/** Reports work that is due according to the log but on no queue, for longer than the reconciler needs to notice. */
export const missingMessages: Check = {
  name: 'missing-messages',
  needs: ['schema', 'queues'],
  run: async (target) => {
    const queues = await target.openQueues();
    const missing: { readonly state: PhaseState; readonly queue: string; readonly id: MessageId }[] = [];
    let checked = 0;
    for await (const state of readIdlePhases(target, target.limits.reconcilerGraceMs)) {
      checked += 1;
      for (const { queue, id, lease } of listAwaitedMessages(state))
        if (!(await queues.has(queue, id)) && !(lease !== undefined && (await target.processes.isCallHeld(lease))))
          missing.push({ state, queue, id });
    }
    if (missing.length === 0) return ok(checked === 0 ? 'nothing is due' : `none is missing (${checked} idle phases)`);
    return fail(
      `${pluralise(missing.length, 'message')} due according to the log ${missing.length === 1 ? 'is' : 'are'} on no queue, and no reconciler sends ${missing.length === 1 ? 'it' : 'them'}: ${formatList(missing.map(({ id }) => id))}`,
      'start an orchestrator, or find out why its reconciler fails; phaseline doctor --fix sends the messages',
      async () => {
        // The queue may still count a message as held by a dead worker; a new message with the same id would be dropped.
        await queues.recoverStalled();
        for (const { state, id } of missing) {
          const messages = [
            buildPhaseMessage(state),
            ...Object.keys(state.calls.byId).map((call) => buildToolMessage(state, call)),
          ];
          const message = messages.find(({ queue, payload }) => deriveMessageId(queue, payload) === id)!;
          await queues.send(message.queue, message.payload, message.options);
        }
        return `sent ${pluralise(missing.length, 'message')}`;
      },
    );
  },
};
