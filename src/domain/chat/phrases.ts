import type { Certainty } from '#src/contracts/resources/chat.ts';
import type { QuestionLanguage } from '#src/domain/chat/question-words.ts';

/** Reason for an answer without a model: none is configured, or it failed. */
export type NoModel = 'none' | 'failed';

interface Phrases {
  readonly nothing: string;
  readonly because: Readonly<Record<NoModel, string>>;
  /** Introduction of the quotes, after the reason. */
  readonly passages: Readonly<Record<Certainty, string>>;
  /** Ends an answer that the model broke off. */
  readonly cut: string;
}

/** Fixed sentences of answers without a model. */
export const phrases: Readonly<Record<QuestionLanguage, Phrases>> = {
  en: {
    nothing: 'I found nothing in these documents that answers this.',
    because: { none: 'No text model is at work here', failed: 'The text model did not answer' },
    passages: {
      sure: 'these passages of the documents answer the question:',
      likely: 'these passages of the documents come closest to an answer, but may not hold it:',
      unsure: 'these are only the closest passages of the documents, and it is not sure that they answer the question:',
    },
    cut: 'The text model broke off here. Its answer is incomplete; the sources stay.',
  },
  de: {
    nothing: 'In diesen Dokumenten habe ich nichts gefunden, das darauf antwortet.',
    because: { none: 'Hier arbeitet kein Textmodell', failed: 'Das Textmodell hat nicht geantwortet' },
    passages: {
      sure: 'diese Stellen der Dokumente beantworten die Frage:',
      likely: 'diese Stellen der Dokumente kommen einer Antwort am nächsten, enthalten sie aber vielleicht nicht:',
      unsure:
        'dies sind nur die nächstliegenden Stellen der Dokumente; ob sie die Frage beantworten, ist nicht sicher:',
    },
    cut: 'Hier hat das Textmodell abgebrochen. Seine Antwort ist unvollständig; die Quellen bleiben.',
  },
  fr: {
    nothing: 'Je n’ai rien trouvé dans ces documents qui réponde à cette question.',
    because: { none: 'Aucun modèle de texte n’est à l’œuvre ici', failed: 'Le modèle de texte n’a pas répondu' },
    passages: {
      sure: 'ces passages des documents répondent à la question :',
      likely: 'ces passages des documents sont les plus proches d’une réponse, mais ne la contiennent peut-être pas :',
      unsure: 'ce ne sont que les passages les plus proches ; il n’est pas sûr qu’ils répondent à la question :',
    },
    cut: 'Le modèle de texte s’est interrompu ici. Sa réponse est incomplète ; les sources restent.',
  },
};
