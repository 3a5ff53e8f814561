import type { JobId } from '@phaseline/contracts';
import { useEffect, useState } from 'react';
import { getLiveConnection } from './live-connection.js';

/** An answer while the model writes it. It is void when the call is tried again; the log contains the final one. */
export interface LiveAnswer {
  readonly phase: number;
  readonly step: number;
  readonly attempt: number;
  readonly text: string;
  readonly hasEnded: boolean;
}

/** Returns the answer that a model is writing for the job; undefined if there is none, or the job is not watched. */
export function useAnswer(jobId: JobId, isWatched: boolean): LiveAnswer | undefined {
  const [answer, setAnswer] = useState<LiveAnswer>();
  useEffect(() => {
    if (!isWatched) return undefined;
    const connection = getLiveConnection();
    const stop = connection.subscribe((event) => {
      if (event.type !== 'answer' || event.jobId !== jobId) return;
      const { phase, step, attempt, text, reset, hasEnded } = event;
      setAnswer((before) => ({
        ...{ phase, step, attempt, hasEnded: hasEnded === true },
        text: reset === true ? text : (before?.text ?? '') + text,
      }));
    });
    const unwatch = connection.watch(jobId);
    return () => {
      stop();
      unwatch();
      setAnswer(undefined);
    };
  }, [jobId, isWatched]);
  return answer;
}
