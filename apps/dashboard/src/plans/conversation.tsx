import type { Plan } from '@phaseline/client';
import { useEffect, useRef } from 'react';
import { Card } from '../ui/card.js';
import { Empty } from '../ui/notice.js';

/** What the person and the planner said, the latest at the end. Both are texts, whatever they contain. */
export function Conversation({ plan: { messages, waitsFor } }: { readonly plan: Plan }) {
  const log = useRef<HTMLOListElement>(null);
  // What the plan waits for is shown beside, with the reply.
  const said = messages.at(-1)?.text === waitsFor?.question ? messages.slice(0, -1) : messages;
  useEffect(() => {
    const list = log.current;
    if (list) list.scrollTop = list.scrollHeight;
  }, [said.length]);
  return (
    <Card title="Conversation" className="plan-conversation">
      {said.length === 0 ? (
        <Empty>Nothing was said yet.</Empty>
      ) : (
        <ol ref={log} className="plan-messages" aria-label="Messages" tabIndex={0}>
          {said.map(({ from, text }, index) => (
            <li key={index} className={`plan-message plan-message-${from === 'person' ? 'person' : 'planner'}`}>
              <span className="plan-speaker">{from}</span>
              <p>{text}</p>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
