// A stand-in for the model and for the few GitHub endpoints which the host's agent runtime asks.
// Everything else of the agent is real: its tools run, edit files and leave comments.
//
//   node model.mjs [PORT [LOGFILE]]      (or startModel() from another script)
//
// The model does what the user's message says. A line STEPS:[…] in it is a list of replies, one
// for each time the agent asks the model during that turn:
//
//   STEPS:[{"tool":"edit","input":{…}},{"tool":"addComment","input":{…}},{"text":"Done."}]
//
// A message without such a line, and a script that has run out, are answered "Done.".
import fs from 'node:fs';
import http from 'node:http';
import zlib from 'node:zlib';
import { pathToFileURL } from 'node:url';

let lastId = 0;
const unique = prefix => `${prefix}_${++lastId}`;

// The runtime refuses to start a turn unless its own default model is on offer, with a policy and limits.
const model = id => ({
  id, name: id, version: id, object: 'model', vendor: 'Test', preview: false,
  model_picker_enabled: true, is_chat_default: true, is_chat_fallback: true,
  supported_endpoints: ['/chat/completions'],
  billing: { is_premium: false, multiplier: 0 },
  policy: { state: 'enabled', terms: '' },
  capabilities: {
    type: 'chat', family: id, tokenizer: 'o200k_base', object: 'model_capabilities',
    limits: { max_context_window_tokens: 200000, max_output_tokens: 32000, max_prompt_tokens: 168000 },
    supports: { streaming: true, tool_calls: true, parallel_tool_calls: true },
  },
});

const account = base => ({
  login: 'scripted', copilot_plan: 'business', access_type_sku: 'copilot_for_business_seat',
  chat_enabled: true, cli_enabled: true, organization_list: [], organization_login_list: [],
  endpoints: { api: base, proxy: base, telemetry: base, 'origin-tracker': base },
  quota_snapshots: Object.fromEntries(['chat', 'completions', 'premium_interactions'].map(id =>
    [id, { quota_id: id, unlimited: true, has_quota: true, percent_remaining: 100, quota_remaining: 0, remaining: 0, entitlement: 0, overage_count: 0, overage_permitted: true }])),
});

const textOf = content => typeof content === 'string' ? content
  : (content ?? []).filter(block => block.type === 'text').map(block => block.text).join('\n');

/** The step to play now: as many as there are replies of ours since the message with the script are done. */
function nextStep(messages) {
  let done = 0;
  for (const message of messages.toReversed()) {
    if (message.role === 'assistant') done++;
    if (message.role !== 'user') continue;
    const script = /^STEPS:(.*)$/m.exec(textOf(message.content));
    if (!script) continue; // the runtime adds user messages of its own
    try {
      return JSON.parse(script[1])[done] ?? { text: 'Done.' };
    } catch (error) {
      return { text: `The line STEPS: is not JSON: ${error.message}` };
    }
  }
  return { text: 'Done.' };
}

function completion(body) {
  // Requests without tools are not the agent's: a title for the session, a message for a commit.
  const step = body.tools?.length ? nextStep(body.messages)
    : { text: /commit message/i.test(JSON.stringify(body.messages)) ? 'Scripted commit' : 'Scripted session' };
  const message = step.tool
    ? { role: 'assistant', content: null, tool_calls: [{ index: 0, id: unique('call'), type: 'function', function: { name: step.tool, arguments: JSON.stringify(step.input ?? {}) } }] }
    : { role: 'assistant', content: step.text };
  const common = { id: unique('reply'), created: Math.floor(Date.now() / 1000), model: body.model };
  const finish_reason = step.tool ? 'tool_calls' : 'stop';
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  if (!body.stream) {
    return { type: 'application/json', body: JSON.stringify({ ...common, object: 'chat.completion', choices: [{ index: 0, message, finish_reason }], usage }) };
  }
  const chunk = (delta, rest) => `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, ...rest }], usage })}\n\n`;
  return { type: 'text/event-stream', body: chunk(message, { finish_reason: null }) + chunk({}, { finish_reason }) + 'data: [DONE]\n\n' };
}

function answer(path, body, base) {
  const json = value => ({ type: 'application/json', body: JSON.stringify(value) });
  if (path === '/chat/completions') return completion(body);
  if (path === '/models') return json({ object: 'list', data: ['claude-sonnet-4', 'gpt-4o-mini'].map(model) });
  if (path === '/user') return json({ login: 'scripted', id: 1 });
  if (path === '/copilot_internal/user') return json(account(base));
  if (path.startsWith('/copilot_internal/') && path.includes('token')) {
    return json({ token: 'scripted', expires_at: Math.floor(Date.now() / 1000) + 86400, refresh_in: 43200, endpoints: { api: base, proxy: base, telemetry: base } });
  }
  if (path.startsWith('/copilot_internal/') || path === '/telemetry') return json({});
  return { status: 404, ...json({ message: 'not played' }) };
}

/** Listens on loopback only (port 0: any free one) and resolves with the base URL. */
export function startModel({ port = 0, log } = {}) {
  const server = http.createServer((request, response) => {
    const chunks = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      let raw = Buffer.concat(chunks);
      if (request.headers['content-encoding'] === 'gzip') raw = zlib.gunzipSync(raw);
      let body = {};
      try { body = JSON.parse(raw); } catch { /* telemetry is not always JSON; it is not read either */ }
      const reply = answer(request.url.split('?')[0], body, `http://127.0.0.1:${server.address().port}`);
      if (log) {
        const asked = body.messages ? body.messages.at(-1) : raw.toString().slice(0, 200);
        fs.appendFileSync(log, JSON.stringify({ time: new Date(), path: request.url, asked, status: reply.status ?? 200, reply: reply.body.slice(0, 2000) }) + '\n');
      }
      response.writeHead(reply.status ?? 200, { 'content-type': reply.type, 'x-request-id': unique('request') });
      response.end(reply.body);
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`model listening on ${await startModel({ port: Number(process.argv[2] ?? 0), log: process.argv[3] })}`);
}
