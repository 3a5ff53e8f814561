FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN npm ci && npm run build && npm prune --omit=dev --omit=optional

FROM node:24-slim
# For jobs with a repository: git, certificates of servers, and ssh.
RUN apt-get update \
  && apt-get install -y --no-install-recommends git ca-certificates openssh-client \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# The size of the heap for new objects is explained in libs/local-stack/src/supervisor/service-node-arguments.ts.
ENV NODE_ENV=production NODE_OPTIONS=--max-semi-space-size=4
COPY --from=build --chown=node:node /app /app
# A new volume takes the owner of the folder that it is mounted over: without these it would be root's.
RUN mkdir -p .phaseline/workspaces /keys/audit /keys/master && chown -R node:node .phaseline /keys
USER node
