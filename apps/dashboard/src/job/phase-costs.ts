import {
  readCount,
  readObject,
  readString,
  type JobStateResponse,
  type UntypedData,
  type Usage,
} from '@phaseline/client';

export interface PhaseCost {
  readonly phase: number;
  readonly name: string;
  readonly isRunning: boolean;
  readonly usage: Usage;
}

/** Lists what each phase has used at a moment: an ended one as it was recorded at its end, the running one until then. */
export function listPhaseCosts({ phases, phase }: Pick<JobStateResponse, 'phases' | 'phase'>): readonly PhaseCost[] {
  const current = readCount(readObject(readObject(phase ?? {}, 'start'), 'identity'), 'phase');
  return phases.map((outline) => {
    const number = readCount(outline, 'phase') ?? 0;
    const isRunning = outline['spending'] === undefined;
    const until = number === current ? readObject(readObject(phase ?? {}, 'money'), 'spending') : {};
    return {
      phase: number,
      name: readString(outline, 'name') ?? '',
      isRunning,
      usage: readUsage(isRunning ? until : readObject(outline, 'spending')),
    };
  });
}

function readUsage(data: UntypedData): Usage {
  const read = (key: keyof Usage): number => readCount(data, key) ?? 0;
  return {
    steps: read('steps'),
    inputTokens: read('inputTokens'),
    cachedInputTokens: read('cachedInputTokens'),
    outputTokens: read('outputTokens'),
    costMicroUsd: read('costMicroUsd'),
  };
}
