import type { PromptLayer, PromptMessage, PromptResponse } from '@phaseline/client';
import { useState } from 'react';
import { Button } from '../../ui/button.js';
import { Code } from '../../ui/code.js';
import { formatCount, pluralise } from '../../ui/format.js';
import { LazyDetails } from '../../ui/lazy-details.js';

/** Messages of a layer that are shown first: the last ones, which are the newest. */
const SHOWN_MESSAGES = 30;

const layerTitles: Readonly<Record<PromptLayer['layer'], string>> = {
  system: 'System prompt',
  todos: 'Todo list',
  reflexion: 'Reflection on the failed attempt before',
  summary: 'Summary of the earlier conversation',
  conversation: 'Conversation',
  tools: 'Tools',
};

/** The layers of a prompt with their shares, in the order in which they are sent. */
export function PromptLayers({ prompt }: { readonly prompt: PromptResponse }) {
  const total = Math.max(
    1,
    prompt.layers.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  return (
    <>
      <div className="prompt-bar" aria-hidden="true">
        {prompt.layers.map(({ layer, tokens }) => (
          <span key={layer} className={`prompt-share prompt-${layer}`} style={{ flexGrow: tokens }} />
        ))}
      </div>
      <ul className="stack-small">
        {prompt.layers.map((layer) => (
          <li key={layer.layer}>
            <LazyDetails
              summary={
                <span className="prompt-layer">
                  <span className={`prompt-swatch prompt-${layer.layer}`} aria-hidden="true" />
                  <strong>{layerTitles[layer.layer]}</strong>
                  <span className="prompt-tokens muted">
                    {formatCount(layer.tokens)} tokens, {Math.round((layer.tokens / total) * 100)} %
                  </span>
                </span>
              }
            >
              {() => (layer.layer === 'tools' ? <Tools prompt={prompt} /> : <Messages {...{ prompt, layer }} />)}
            </LazyDetails>
          </li>
        ))}
      </ul>
    </>
  );
}

function Messages({ prompt, layer }: { readonly prompt: PromptResponse; readonly layer: PromptLayer }) {
  const [shown, setShown] = useState(SHOWN_MESSAGES);
  const { firstMessage, messageCount } = layer;
  const hidden = Math.max(0, messageCount - shown);
  const messages = prompt.request.messages.slice(firstMessage + hidden, firstMessage + messageCount);
  return (
    <div className="prompt-messages stack-small">
      {hidden === 0 ? null : (
        <Button onClick={() => setShown(shown + SHOWN_MESSAGES * 2)}>
          Show earlier messages ({formatCount(hidden)} more)
        </Button>
      )}
      {messages.map((message, index) => {
        const at = firstMessage + hidden + index;
        return <Message key={at} message={message} number={at + 1} tokens={prompt.messageTokens[at] ?? 0} />;
      })}
    </div>
  );
}

function Message({
  message,
  number,
  tokens,
}: {
  readonly message: PromptMessage;
  readonly number: number;
  readonly tokens: number;
}) {
  const { role, content, reasoning, toolCalls = [], callId } = message;
  return (
    <section className="stack-small" aria-label={`Message ${number}`}>
      <p className="muted">
        {number}. {role}
        {callId === undefined ? null : (
          <>
            {' '}
            answers <code>{callId}</code>
          </>
        )}
        , {pluralise(tokens, 'token')}
      </p>
      {reasoning === undefined ? null : <Code label={`Reasoning of message ${number}`} text={reasoning} />}
      {content === '' ? null : <Code label={`Text of message ${number}`} text={content} />}
      {toolCalls.map((call) => (
        <Code key={call.id} label={`Call ${call.id}`} text={`${call.name} ${call.arguments}`} />
      ))}
    </section>
  );
}

function Tools({ prompt }: { readonly prompt: PromptResponse }) {
  return (
    <ul className="prompt-messages stack-small">
      {prompt.request.tools.map(({ name, description, parameters }, index) => (
        <li key={name}>
          <LazyDetails
            summary={
              <>
                <code>{name}</code> <span className="muted">{pluralise(prompt.toolTokens[index] ?? 0, 'token')}</span>
              </>
            }
          >
            {() => (
              <Code
                label={`Tool ${name}`}
                text={`${description}\n\n${JSON.stringify(parameters, undefined, 2)}`}
                maxHeight={240}
              />
            )}
          </LazyDetails>
        </li>
      ))}
    </ul>
  );
}
