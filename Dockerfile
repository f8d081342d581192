# All services of Inkgraph, or those that SERVICES names. How to run it: docs/guide/containers.md.
FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
# Scripts are left out: they would fetch the Node.js that the image has already.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    DATA_DIR=/data \
    NODE_COMPILE_CACHE=/app/compiled
COPY --from=packages /app/node_modules node_modules
COPY package.json LICENSE ./
COPY packages packages
COPY src src
COPY graphs graphs
COPY tools tools
COPY mcp mcp
COPY http http
COPY app app
COPY scripts scripts
COPY web web
RUN node src/adapters/web/build-bundle.ts /app/web-bundle
ENV WEB_DIR=/app/web-bundle
RUN node app/bundle/build.ts
# Compiles everything once, so that a container with a read-only root starts in half the time.
RUN node scripts/need-node.cjs scripts/container/warm.ts && rm -rf /tmp/* && mkdir /data && chown 1000:1000 /data
USER 1000:1000
VOLUME /data
EXPOSE 3000 3001 3002 3003
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "scripts/need-node.cjs", "scripts/container/healthcheck.ts"]
# The program itself is process 1, so that signals reach it.
CMD ["node", "scripts/need-node.cjs", "app/main.ts"]
