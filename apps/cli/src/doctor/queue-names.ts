/** Names of the queues whose messages refer to the log. */
export const queueNames = ['strategic', 'tactical', 'tools', 'timers', 'repositories'] as const;
