import type { JobId } from '@phaseline/contracts';
import { useEffect, useRef } from 'react';
import { useAnswer } from '../live/use-answer.js';
import { Card } from '../ui/card.js';

/** The answer that a model is writing. It is shown while it arrives and is not part of the log: a retry makes it void. */
export function LiveAnswer({ jobId }: { readonly jobId: JobId }) {
  const answer = useAnswer(jobId, true);
  const box = useRef<HTMLPreElement>(null);
  useEffect(() => {
    box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [answer?.text]);
  if (answer === undefined || answer.hasEnded || answer.text === '') return null;
  const { phase, step, attempt, text } = answer;
  return (
    <Card title={`The model is answering: phase ${phase}, step ${step}${attempt === 1 ? '' : `, attempt ${attempt}`}`}>
      <pre ref={box} className="code live-answer" role="region" aria-label="Answer of the model" tabIndex={0}>
        {text}
      </pre>
    </Card>
  );
}
