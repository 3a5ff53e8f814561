import type { InboxItem } from '@phaseline/client';
import { useState } from 'react';
import { useRights } from '../api/use-rights.js';
import { Button } from '../ui/button.js';
import { Json } from '../ui/code.js';
import { TextArea } from '../ui/field.js';
import { Notice } from '../ui/notice.js';
import { AnswerOptions } from './answer-options.js';
import { parseJson } from './argument-text.js';
import { explainConflict, listRefusals, type Answer } from './decide.js';
import type { DetailProps } from './outcome.js';
import { MissingRight } from '../ui/missing-right.js';
import { useDecision } from './use-decision.js';

type Question = NonNullable<InboxItem['question']>;

/** A question of an agent: its options, or a free answer, as text or as JSON. */
export function QuestionDetail({ item, question, onDecided }: DetailProps & { readonly question: Question }) {
  const can = useRights();
  const { text, schema, default: fallback } = question;
  return (
    <>
      <p className="inbox-question">{text}</p>
      {schema ? (
        <details>
          <summary>What an answer must look like (JSON Schema)</summary>
          <Json label="Schema of the answer" value={schema} />
        </details>
      ) : null}
      <p className="muted wrap-anywhere">
        {fallback === undefined
          ? 'Without an answer in time, the agent continues without one.'
          : `Without an answer in time, the agent continues with: ${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}`}
      </p>
      <div className="inbox-actions">
        {can('questions:answer', item.tenant) ? (
          <AnswerForm {...{ item, question, onDecided }} />
        ) : (
          <MissingRight right="questions:answer" tenant={item.tenant} />
        )}
      </div>
    </>
  );
}

function AnswerForm({ item, question, onDecided }: DetailProps & { readonly question: Question }) {
  const [text, setText] = useState('');
  const decision = useDecision(item, onDecided);
  const { options, schema } = question;
  const isJson = options === undefined && schema !== undefined && schema['type'] !== 'string';
  const parsed = isJson && text.trim() !== '' ? parseJson(text) : { value: text };
  const refusal =
    decision.error && explainConflict(decision.error) === undefined ? listRefusals(decision.error) : undefined;
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if ('value' in parsed) decision.mutate({ kind: 'answer', answer: parsed.value as Answer });
      }}
    >
      {options ? (
        <AnswerOptions options={options} value={text} onChange={setText} />
      ) : (
        <TextArea
          label={isJson ? 'Your answer as JSON' : 'Your answer'}
          isCode={isJson}
          rows={3}
          value={text}
          error={'problem' in parsed ? parsed.problem : refusal}
          onChange={({ target }) => {
            setText(target.value);
            decision.reset();
          }}
        />
      )}
      {options && refusal !== undefined ? (
        <Notice tone="bad">
          <p className="wrap-anywhere">{refusal}</p>
        </Notice>
      ) : null}
      <div className="row">
        <Button
          type="submit"
          variant="primary"
          disabled={text.trim() === '' || 'problem' in parsed || decision.isPending}
        >
          Answer
        </Button>
      </div>
    </form>
  );
}
