import { describe, expect, it } from 'vitest';
import { FALLBACK, HTTP, ROUTES } from '../../schema/edges.ts';
import { at, functionId, loadTemplate, nameOf, resourcesOf, type Template } from './template.ts';

const template = loadTemplate();

/** Routes that anybody could call. */
function findOpenRoutes(from: Template): string[] {
  return resourcesOf(from, 'AWS::ApiGatewayV2::Route')
    .filter(([, { Properties }]) => Properties.AuthorizationType !== 'AWS_IAM')
    .map(([, { Properties }]) => String(Properties.RouteKey));
}

/** Route key → logical id of the function behind it. */
function targetsOf(from: Template): Record<string, string> {
  return Object.fromEntries(
    resourcesOf(from, 'AWS::ApiGatewayV2::Route').map(([, { Properties }]) => {
      const integration = from.Resources[nameOf(Properties.Target).replace('integrations/', '')];
      expect(integration?.Properties.PayloadFormatVersion).toBe('2.0');
      return [String(Properties.RouteKey), nameOf(integration?.Properties.IntegrationUri).replace('.Arn', '')];
    }),
  );
}

describe('the HTTP API', () => {
  it('has exactly the routes of the schema, each to its function, and one for what no route is', () => {
    const expected = ROUTES.map(([method, path, name]) => [`${method} ${path}`, functionId(template, name)]);
    expected.push(['$default', functionId(template, FALLBACK.function)]);
    expect(targetsOf(template)).toEqual(Object.fromEntries(expected));
  });

  it('has no route without an authorizer', () => {
    expect(findOpenRoutes(template)).toEqual([]);
  });

  it.each(['NONE', undefined])('notices an open route: AuthorizationType %s', (type) => {
    const copy = structuredClone(template);
    const route = resourcesOf(copy, 'AWS::ApiGatewayV2::Route')[3];
    if (route === undefined) throw new Error('The template has fewer than four routes.');
    route[1].Properties.AuthorizationType = type;
    expect(findOpenRoutes(copy)).toEqual([route[1].Properties.RouteKey]);
  });

  it('lets API Gateway call a function on the routes it serves and no others', () => {
    const permissions = resourcesOf(template, 'AWS::Lambda::Permission').map(
      ([, { Properties }]) =>
        `${nameOf(Properties.FunctionName)} ${nameOf(Properties.SourceArn).replace(/^.*\/\*\/\*/, '')}`,
    );
    const expected = ROUTES.map(([, path, name]) => `${functionId(template, name)}.Arn ${path}`);
    // No path of its own: whatever is no route.
    expected.push(`${functionId(template, FALLBACK.function)}.Arn `);
    expect(new Set(permissions)).toEqual(new Set(expected));
  });

  it('is throttled, and logs neither body, path nor query', () => {
    const [stage] = resourcesOf(template, 'AWS::ApiGatewayV2::Stage');
    expect(stage?.[1].Properties.DefaultRouteSettings).toEqual({
      ThrottlingRateLimit: HTTP.rateLimit,
      ThrottlingBurstLimit: HTTP.burstLimit,
    });
    const format = String(at(stage?.[1].Properties, 'AccessLogSettings', 'Format'));
    expect(format).toContain('$context.requestId');
    expect(format).not.toMatch(/body|\$context\.path|querystring|header/i);
  });
});
