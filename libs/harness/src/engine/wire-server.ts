import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { countTokens } from '@phaseline/context';
import type { ChatMessage, ChatRequest } from '@phaseline/contracts';
import { createOpenAiModel, modelProfileSchema } from '@phaseline/model';
import type { ConfiguredModel } from '@phaseline/execution';
import type { Policy, Reply } from './engine.js';

/** A chat message as sent over HTTP. */
interface SentMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string | null;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly tool_call_id?: string;
}

export interface SentRequest {
  readonly messages: readonly SentMessage[];
  readonly tools?: readonly { readonly function: ChatRequest['tools'][number] }[];
  readonly max_tokens: number;
}

/** Handles a request instead of answering it. It must end or destroy the response. */
export type ResponseFault = (response: ServerResponse) => void;

export interface WireServerOptions {
  /** Members of the model profile that differ from the defaults. */
  readonly profile?: object;
  readonly contextTokens?: number;
  /** Returns the reasoning that precedes the answer. */
  readonly reasoning?: (request: ChatRequest) => string;
  /** Called before each answer with the number of the request; a returned fault replaces the answer. */
  readonly fault?: (request: number) => ResponseFault | undefined;
}

/**
 * A model server on a local port that answers by a policy, with the real client for it. It can be stopped and started again on
 * the same port.
 */
export class WireServer {
  /** Bodies of all requests, in order. */
  readonly requests: SentRequest[] = [];
  /** Headers of all requests for answers, in order. */
  readonly headers: IncomingHttpHeaders[] = [];
  readonly model: ConfiguredModel;

  private constructor(
    private server: Server,
    private readonly port: number,
    private readonly policy: Policy,
    private readonly options: WireServerOptions,
  ) {
    const { contextTokens = 100_000 } = options;
    const profile = modelProfileSchema.parse({
      name: 'default',
      model: 'wire',
      contextTokens,
      maxOutputTokens: 1_000,
      retries: { attempts: 2, baseDelayMs: 1, maxDelayMs: 2 },
      ...options.profile,
    });
    const model = createOpenAiModel({ baseUrl: `http://127.0.0.1:${port}/v1`, profile, countTokens });
    this.model = { profile, model, contextTokens };
  }

  static async start(policy: Policy, options: WireServerOptions = {}): Promise<WireServer> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const wire = new WireServer(server, (server.address() as AddressInfo).port, policy, options);
    server.on('request', wire.handle);
    return wire;
  }

  /** Base URL for clients. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}/v1`;
  }

  /** Stops the server; connections are refused from now on. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }

  async restart(): Promise<void> {
    this.server = createServer(this.handle);
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async close(): Promise<void> {
    if (this.server.listening) await this.stop();
  }

  private readonly handle = (incoming: IncomingMessage, response: ServerResponse): void => {
    this.answer(incoming, response).catch((error: unknown) => response.destroy(error as Error));
  };

  private async answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    // The list of models, requested by probes and by starting workers.
    if (incoming.method === 'GET')
      return void response.setHeader('content-type', 'application/json').end('{"data":[]}');
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const sent = JSON.parse(Buffer.concat(pieces).toString()) as SentRequest;
    this.requests.push(sent);
    this.headers.push(incoming.headers);
    const fault = this.options.fault?.(this.requests.length);
    if (fault) return fault(response);
    const request = chatRequestOf(sent);
    const reply = await this.policy(request, new AbortController().signal);
    const reasoning = this.options.reasoning?.(request) ?? '';
    response.end(streamOf(reply, reasoning, countTokens(JSON.stringify(sent.messages))));
  }
}

function chatRequestOf({ messages, tools = [] }: SentRequest): ChatRequest {
  return {
    messages: messages.map(({ role, content, tool_calls, tool_call_id = '' }): ChatMessage => {
      const text = content ?? '';
      if (role === 'tool') return { role, callId: tool_call_id, content: text };
      if (role !== 'assistant') return { role, content: text };
      return {
        role,
        content: text,
        ...(tool_calls ? { toolCalls: tool_calls.map(({ id, function: called }) => ({ id, ...called })) } : {}),
      };
    }),
    tools: tools.map((tool) => tool.function),
  };
}

function streamOf({ content = '', calls = [] }: Reply, reasoning: string, promptTokens: number): string {
  const event = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
  const chunk = (delta: object, finish_reason: string | null = null): string =>
    event({ choices: [{ index: 0, delta, finish_reason }] });
  const toolCalls = calls.map(({ name, arguments: args = {} }, index) => ({
    index,
    id: `id${index}`,
    function: { name, arguments: JSON.stringify(args) },
  }));
  const written = content + reasoning + JSON.stringify(toolCalls);
  return [
    ...(reasoning === '' ? [] : [chunk({ reasoning_content: reasoning })]),
    ...(content === '' ? [] : [chunk({ content })]),
    ...(toolCalls.length === 0 ? [] : [chunk({ tool_calls: toolCalls })]),
    chunk({}, toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    event({ choices: [], usage: { prompt_tokens: promptTokens, completion_tokens: countTokens(written) } }),
    'data: [DONE]\n\n',
  ].join('');
}
