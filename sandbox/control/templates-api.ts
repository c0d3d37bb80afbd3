import { Hono } from 'hono';
import { errorForm } from '../http/error-form.ts';
import { limitBody, readBody } from '../http/read-body.ts';
import type { RunningService } from '../running-service.ts';
import { decideTemplate, submitTemplate } from '../service/templates.ts';
import { templateDecisionRequest, templateRequest } from './requests.ts';
import { templateView } from './views.ts';

/** The template area: templates are submitted here, and the operator of the service decides on them. */
export const templatesApi = (service: RunningService): Hono => {
  const app = new Hono();

  app.get('/templates', (context) =>
    context.json({ templates: Array.from(service.state.templates.values(), templateView) }),
  );

  app.put('/templates/:name', limitBody(), async (context) => {
    const body = await readBody(context, templateRequest);
    if (body.kind === 'invalid') return body.answer;
    const name = context.req.param('name');
    return context.json(
      templateView(service.apply((state, moment) => submitTemplate(state, name, body.value, moment))),
      202,
    );
  });

  app.post('/templates/:name/decision', limitBody(), async (context) => {
    const body = await readBody(context, templateDecisionRequest);
    if (body.kind === 'invalid') return body.answer;
    const name = context.req.param('name');
    const outcome = service.apply((state, moment) => decideTemplate(state, name, body.value, moment));
    switch (outcome.kind) {
      case 'decided':
        return context.json(templateView(outcome.template));
      case 'unknown':
        return context.json(
          errorForm(404, `There is no template "${name}"; PUT /sandbox/templates/${name} first.`),
          404,
        );
      case 'not-pending':
        return context.json(errorForm(409, `The template "${name}" is ${outcome.status}; submit it again first.`), 409);
    }
  });
  return app;
};
