import { Hono } from 'hono';
import * as z from 'zod';
import type { RunningService } from '../running/running-service.ts';
import { CATEGORIES, type Content } from '../service/model.ts';
import { decideTemplate, putRule, submitTemplate } from '../service/rules.ts';
import { isEmptyContent, unsupportedMedia } from '../service/send.ts';
import { ruleView, templateView } from '../service/views.ts';
import { errorBody, httpUrl, jsonBody, limitBody } from './read-request.ts';

const mediaUrl = httpUrl.optional();
const ruleContent = { text: z.string().optional(), audioURL: mediaUrl, imageURL: mediaUrl, fileURL: mediaUrl };

const CONTENT_REQUIRED = 'provide text, audioURL, imageURL, or fileURL';
const hasContent = ({ text, audioURL, imageURL, fileURL }: Content & { text?: string }) =>
  !isEmptyContent({ messageText: text, audioURL, imageURL, fileURL });
const UNSUPPORTED = 'video and GIF are not supported';
const isSupported = (media: Content) => unsupportedMedia(media) === undefined;

const ruleRequest = z
  .strictObject({
    ...ruleContent,
    status: z.enum(['approved', 'pending', 'rejected']),
    category: z.enum(CATEGORIES).optional(),
  })
  .refine(hasContent, CONTENT_REQUIRED)
  .refine(isSupported, UNSUPPORTED);

/** Accepts any category, which the service then judges. */
const templateRequest = z
  .strictObject({ ...ruleContent, category: z.string() })
  .refine(hasContent, CONTENT_REQUIRED)
  .refine(isSupported, UNSUPPORTED);

const templateDecisionRequest = z.strictObject({ approve: z.boolean(), why: z.string().optional() });

/** The control API's rules and templates: submitting templates, and the operator's decisions on them. */
export const templatesApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.put('/rules/:name', limitBody(), jsonBody(ruleRequest), (context) => {
    const name = context.req.param('name');
    const rule = service.apply((state, moment) => ({
      result: putRule(state, name, context.req.valid('json'), moment),
      events: [],
    }));
    return context.json(ruleView(rule));
  });

  app.get('/templates', (context) =>
    context.json({ templates: Array.from(service.state.templates.values(), templateView) }),
  );

  app.put('/templates/:name', limitBody(), jsonBody(templateRequest), (context) => {
    const name = context.req.param('name');
    return context.json(
      templateView(service.apply((state, moment) => submitTemplate(state, name, context.req.valid('json'), moment))),
      202,
    );
  });

  app.post('/templates/:name/decision', limitBody(), jsonBody(templateDecisionRequest), (context) => {
    const name = context.req.param('name');
    const outcome = service.apply((state, moment) => decideTemplate(state, name, context.req.valid('json'), moment));
    switch (outcome.kind) {
      case 'decided':
        return context.json(templateView(outcome.template));
      case 'unknown':
        return context.json(
          errorBody(404, `Template "${name}" does not exist. Submit it with PUT /sandbox/templates/${name} first.`),
          404,
        );
      case 'not-pending':
        return context.json(errorBody(409, `The template "${name}" is ${outcome.status}; submit it again first.`), 409);
    }
  });
  return app;
};
