/** The queues whose messages point to something in the log. */
export const queueNames = ['strategic', 'tactical', 'tools', 'timers'] as const;
