import { sweeping } from '#test/stores/support/ask-storage.ts';

/** Not asked on behalf of an organization, or without an id to guess: by reason. */
export const elsewhere = Object.values({
  'it is who is found out': 'apiKeys.findByHash organizations.findOrganization',
  'a program, before anybody says for which organization': 'oauth.findClient oauth.saveClient oauth.touchClient',
  'the token or code that was presented names it': 'oauth.findGrant',
  'of a session: test/oauth/store.test.ts': 'oauth.takeConsent',
  'by the hash of a secret':
    'oauth.findCode oauth.consumeCode oauth.findToken oauth.consumeRefreshToken oauth.removeToken oauth.revokeFamily',
  'writes under a new id, or the hash of a new secret':
    'oauth.insertClient oauth.insertConsent oauth.insertGrant oauth.insertCode oauth.insertTokens',
  'writes under a new id':
    'apiKeys.insert audit.count audit.note audit.noteOnce audit.during members.add members.invite uploads.insert workflows.insert workflows.insertOnce',
  'writes the organization itself':
    'executions.setQueueWeight views.insert organizations.insertOrganization organizations.insertProject organizations.demandSecondFactor',
  'loops of the system that work for everybody':
    'documents.withPendingEvents documents.oldestPendingEvent executions.withPendingCallback deliveries.claim webhooks.organizations experiments.listRunning members.unfinishedRemovals',
  'an account, before any organization is known':
    'guesses.take guesses.giveBack guesses.forget passkeys.ofUser passkeys.hasAny passkeys.count passkeys.ownerOf passkeys.use',
  'mails and links of an account, which belongs to no organization':
    'accountMails.add accountMails.claim accountMails.settle accountMails.nextDue accountMails.addToken accountMails.findToken accountMails.takeToken accountMails.forgetTokens',
  'sweeps and sums': sweeping.join(' '),
  'such a loop, about what it was just given': 'documents.clearPendingEvents deliveries.settle executions.lost',
  'who somebody is, before anything is asked': 'members.organizationsOf members.userIdOf',
  'preferences belong to a person, in all of their organizations': 'views.preferencesOf views.setPreferences',
  'lists what the organization shares, without an id to guess': 'views.countShared statistics.workflowNames',
  'a worker or its health':
    'executions.claim executions.claimOfOthers executions.nextOf executions.take executions.depth executions.seeLeases executions.waitOf search.check',
  'a new version of the program, at its start': 'workflows.listByCodeName organizations.everyProject',
  'only wakes its listener: what there is, `events.read` tells':
    'events.subscribe events.receive events.storedElsewhere',
  'filters as executions.listRuns and results.listOcr do, over rows that no run of this test has':
    'executions.answeredRuns executions.recentRuns results.blockHashes steps.costOf',
  'compares events that a worker has, in the logs of their own organizations': 'events.lacking',
  'of the same bytes: test/http/dashboard-documents.test.ts': 'documents.firstWith',
  'reads nothing':
    'results.segmentationIdOf results.idsOf nodeCache.idle events.lookMs events.gapWaitMs spentWork.changed',
}).flatMap((names) => names.split(' '));

/** Reads without an id to guess: they list what the organization has. */
export const listsOwn =
  /^((apiKeys|members|audit)\.list|apiKeys\.listMadeBy|oauth\.listClients|members\.listInvitations|organizations\.listProjects|usage\.rowsOf|webhooks\.enabledOf|documents\.storedBy|uploads\.promised|events\.(read|position))$/;
