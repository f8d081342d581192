import { LRUCache } from 'lru-cache';
import {
  ClientMetadataError,
  freshFor,
  isDocumentAddress,
  readClientDocument,
} from '#src/adapters/oauth/client-documents.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Logger } from '#src/domain/ports/logger.ts';
import { UnreachableError, type Outbound } from '#src/domain/ports/outbound.ts';
import { SharedWork } from '#src/concurrency/shared-work.ts';
import type { DocumentSupport, DocumentTrouble } from '#src/domain/access/oauth/document-support.ts';
import type { OAuthClient } from '#src/domain/access/oauth/records.ts';
import type { OAuthStore } from '#src/stores/oauth.ts';

interface Parts {
  readonly store: Pick<OAuthStore, 'findClient' | 'saveClient'>;
  /** Calls any public https address. */
  readonly outbound: Outbound;
  readonly logger: Logger;
  readonly documents: DocumentSupport;
  /** Default: the system clock. */
  readonly now?: () => Date;
}

interface Known {
  readonly client: OAuthClient | null;
  readonly isUnreachable?: true;
  /** Time to check the document again, in milliseconds since 1970. */
  readonly until: number;
}

const mostKnown = 1_000;
const mostBytes = 5 * 1_024;
const timeoutMs = 5_000;
/** Pause after a failed fetch. */
const pauseMs = 10_000;
/** Age up to which a copy that another process stored needs no fetch. */
const sharedMs = 5 * 60_000;
/** Age up to which a copy stands in for a host that is down. */
const mostAgeMs = 24 * 3_600_000;

/**
 * Finds registered clients in the store, and a client whose id is an https address by the document at that address. The outbound adapter
 * fetches it: 5 KB, 5 s, no redirects, one fetch at a time for each address. A document is cached as long as its Cache-Control asks for,
 * between 5 minutes and 24 hours. Errors: those of the port, and `request.rate_limited` when too many documents are being fetched.
 * Source: draft-ietf-oauth-client-id-metadata-document.
 */
export function createClientDirectory({ store, outbound, logger, documents, now = () => new Date() }: Parts) {
  const memory = new LRUCache<string, Known>({ max: mostKnown });
  const work = new SharedWork<OAuthClient | null>({ atOnce: 4, waiting: 32 });

  const fetchOnce = async (clientId: string): Promise<OAuthClient> => {
    const answer = await outbound.send({
      url: clientId,
      method: 'GET',
      headers: { accept: 'application/json' },
      maxBytes: mostBytes,
      timeoutMs,
    });
    documents.reached();
    const client = readClientDocument(clientId, answer, now());
    const at = client.createdAt.getTime();
    // Other processes use the copy, and this one while the host is down.
    await store.saveClient({ ...client, expiresAt: new Date(at + mostAgeMs) });
    memory.set(clientId, { client, until: at + freshFor(answer) });
    return client;
  };

  const refresh = async (clientId: string): Promise<OAuthClient | null> => {
    const copy = await store.findClient(clientId);
    const age = copy === null ? Infinity : now().getTime() - copy.createdAt.getTime();
    if (memory.get(clientId) === undefined && age < sharedMs) {
      memory.set(clientId, { client: copy, until: now().getTime() + sharedMs - age });
      return copy;
    }
    try {
      return await fetchOnce(clientId);
    } catch (error) {
      const isDown = error instanceof AppError && error.code === 'outbound.failed';
      if (
        !isDown &&
        !(error instanceof ClientMetadataError) &&
        !(error instanceof AppError && error.code === 'outbound.refused')
      )
        throw error;
      logger.warn({ reason: error.message, clientId }, 'the metadata document of an OAuth client cannot be used');
      const isUnreachable = error instanceof UnreachableError;
      if (isUnreachable) documents.unreachable();
      const client = isDown && age < mostAgeMs ? copy : null;
      memory.set(clientId, { client, ...(isUnreachable && { isUnreachable }), until: now().getTime() + pauseMs });
      return client;
    }
  };

  return {
    /**
     * null: unknown, or its document cannot be had or used. `kept`: reads stored clients only and fetches no document, for callers
     * that are not authenticated yet.
     */
    async find(clientId: string, how?: 'kept'): Promise<OAuthClient | null> {
      if (!clientId.includes(':')) {
        const client = await store.findClient(clientId);
        return client?.expiresAt && client.expiresAt <= now() ? null : client;
      }
      if (documents.mode === 'off') return null;
      if (!isDocumentAddress(clientId) || outbound.refuses(clientId) !== null) return null;
      const known = memory.get(clientId);
      if (known !== undefined && known.until > now().getTime()) return known.client;
      if (how === 'kept') return store.findClient(clientId);
      return work.do(clientId, () => refresh(clientId));
    },
    /** Reason for which a client that was not found has no document here; null: it is unknown for another reason. */
    trouble(clientId: string): DocumentTrouble | null {
      if (!isDocumentAddress(clientId)) return null;
      if (documents.mode === 'off') return 'off';
      return memory.peek(clientId)?.isUnreachable === true ? 'unreachable' : null;
    },
  };
}
