/**
 * LangGraph with its PostgreSQL checkpointer: a graph of a model node and a tool node, whose checkpoints are written before the next node
 * starts. Its state is the conversation, as in an agent, because nothing else of a thread can be restored.
 */
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import pg from 'pg';
import { runPeer } from './run-peer.mjs';

await runPeer(async ({ databaseUrl }) => {
  const pool = new pg.Pool({ connectionString: databaseUrl });
  const checkpointer = new PostgresSaver(pool);
  await checkpointer.setup();
  /** @type {Map<string, { steps: number, onStep: (jobId: string) => void }>} */
  const jobs = new Map();

  /** @param {typeof MessagesAnnotation.State} state */
  const answer = ({ messages }) => {
    const text = `step ${(messages.length - 1) / 2}`;
    return { messages: [new AIMessage({ content: '', tool_calls: [{ id: text, name: 'echo', args: { text } }] })] };
  };
  /** @param {typeof MessagesAnnotation.State} state */
  const runTool = ({ messages }) => {
    const call = /** @type {AIMessage} */ (messages.at(-1)).tool_calls?.[0];
    return { messages: [new ToolMessage({ tool_call_id: call?.id ?? '', content: call?.args['text'] })] };
  };
  /**
   * @param {typeof MessagesAnnotation.State} state
   * @param {import('@langchain/core/runnables').RunnableConfig} config
   */
  const next = ({ messages }, config) =>
    (messages.length - 1) / 2 >= (jobs.get(config.configurable?.['thread_id'])?.steps ?? 0) ? END : 'model';
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('model', answer)
    .addNode('tool', runTool)
    .addEdge(START, 'model')
    .addEdge('model', 'tool')
    .addConditionalEdges('tool', next, ['model', END])
    .compile({ checkpointer });

  /**
   * A chunk of the stream follows the checkpoint of its node, which is durable then.
   * @param {string} jobId
   * @param {number} steps
   * @param {(jobId: string) => void} onStep
   */
  const runJob = async (jobId, steps, onStep) => {
    jobs.set(jobId, { steps, onStep });
    const chunks = await graph.stream(
      { messages: [new HumanMessage('Take the steps.')] },
      {
        configurable: { thread_id: jobId },
        recursionLimit: 2 * steps + 10,
        durability: 'sync',
        streamMode: 'updates',
      },
    );
    for await (const chunk of chunks) if ('tool' in chunk) onStep(jobId);
  };

  return {
    runJobs: (jobIds, steps, onStep) => Promise.all(jobIds.map((jobId) => runJob(jobId, steps, onStep))),
    count: async (prefix) => {
      const { rows } = await pool.query(
        `SELECT thread_id, count(*) FILTER (WHERE metadata ->> 'source' = 'loop' AND (metadata ->> 'step')::int > 0) AS nodes
         FROM checkpoints WHERE thread_id LIKE $1 GROUP BY thread_id`,
        [`${prefix}%`],
      );
      const states = await Promise.all(
        rows.map(({ thread_id: threadId }) => graph.getState({ configurable: { thread_id: threadId } })),
      );
      return {
        completedJobs: states.filter((state) => state.next.length === 0).length,
        steps: rows.reduce((sum, { nodes }) => sum + Math.floor(Number(nodes) / 2), 0),
      };
    },
    close: () => pool.end(),
  };
});
