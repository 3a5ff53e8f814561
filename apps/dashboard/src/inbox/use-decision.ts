import type { InboxItem } from '@phaseline/client';
import { useMutation } from '@tanstack/react-query';
import { describeDecision, explainConflict, sendDecision, type Decision } from './decide.js';
import type { Outcome } from './outcome.js';

/**
 * Returns the mutation that sends decisions about an entry. What is nobody's mistake, such as a faster person, is reported like an
 * outcome; other errors stay with the form in which they can be corrected.
 */
export function useDecision(item: InboxItem, onDecided: (outcome: Outcome) => void) {
  return useMutation({
    mutationFn: (decision: Decision) => sendDecision(item, decision),
    onSuccess: (failed, decision) => {
      const done = describeDecision(item, decision);
      const isOver = decision.kind !== 'steer';
      if (failed === undefined) onDecided({ tone: 'ok', text: done, isOver });
      else onDecided({ tone: 'warn', text: `${done} ${failed}`, isOver });
    },
    onError: (error) => {
      const explanation = explainConflict(error);
      if (explanation === undefined) return;
      const isChanged = 'code' in error && error.code === 'version_mismatch';
      onDecided({ tone: 'warn', text: `Not done. ${explanation}`, isOver: !isChanged });
    },
  });
}
